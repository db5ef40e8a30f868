"""`server.json`, the Claude Code plugin and the container files: their versions, names and options are ours."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from ruamel.yaml import YAML

from browser_pilot import __version__
from browser_pilot.config.settings import load_with_origins
from browser_pilot.stdio_adapter.options import CLIENT_OPTIONS
from release.bundle import ROOT

# The registry's own rules for the fields.
SERVER_NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
MAX_DESCRIPTION = 100


def load(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_the_registry_entry_names_this_version_and_the_readme_proves_its_owner() -> None:
    server = load("server.json")
    assert SERVER_NAME.fullmatch(server["name"])
    assert 0 < len(server["description"]) <= MAX_DESCRIPTION
    assert server["version"] == __version__
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
    (package,) = server["packages"]
    assert package["version"] == __version__
    assert package["transport"] == {"type": "stdio"}


def test_the_registry_entry_has_options_and_variables_that_exist() -> None:
    (package,) = load("server.json")["packages"]
    known = {option.flag: option for option in CLIENT_OPTIONS}
    for argument in package["packageArguments"]:
        option = known[argument["name"]]
        assert set(argument.get("choices", ())) <= set(option.choices)
    variables = {one["name"]: one.get("default", "") for one in package["environmentVariables"]}
    load_with_origins(environ={name: value for name, value in variables.items() if value})


def test_the_plugin_is_of_this_version_and_starts_the_command() -> None:
    plugin = load("claude-plugin/.claude-plugin/plugin.json")
    assert plugin["version"] == __version__
    (listed,) = load(".claude-plugin/marketplace.json")["plugins"]
    assert (listed["name"], ROOT / listed["source"]) == (plugin["name"], ROOT / "claude-plugin")
    assert load("claude-plugin/.mcp.json")["mcpServers"]["browser-pilot"] == {
        "command": "uvx",
        "args": ["browser-pilot"],
    }
    skill = (ROOT / "claude-plugin/skills/browser/SKILL.md").read_text(encoding="utf-8")
    assert re.match(r"---\nname: browser\ndescription: .{20,1024}\n---\n", skill)


@pytest.mark.parametrize("path", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/compose*")))
def test_compose_files_set_variables_that_exist(path: str) -> None:
    document = cast("Any", YAML(typ="safe")).load((ROOT / path).read_text(encoding="utf-8"))
    for service in document["services"].values():
        assert "image" in service or "build" in service
        environ = {
            name: str(value)
            for name, value in service.get("environment", {}).items()
            if name.startswith("BROWSER_PILOT_")
        }
        load_with_origins(home=ROOT / "no such home", environ=environ)


def test_the_image_runs_as_a_normal_user_with_a_health_check() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users and users[-1] not in ("root", "0")
    assert any(line.startswith("HEALTHCHECK ") for line in lines)
    environ = {name: value.strip("'") for name, value in re.findall(r"(BROWSER_PILOT_\w+)=(\S+)", "\n".join(lines))}
    load_with_origins(home=ROOT / "no such home", environ=environ)
