"""`mcp-config`: prints valid configuration that starts this installation."""

from __future__ import annotations

import json
import shlex
import tomllib
from base64 import b64decode
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from browser_pilot.cli.commands.mcp_config import mcp_servers_json
from browser_pilot.cli.mcp_clients.client_table import CLIENTS, Launch
from browser_pilot.cli.mcp_clients.jsonc import parse_jsonc
from tests.cli.conftest import Pilot


@pytest.mark.parametrize(
    ("client", "parse", "key"),
    [
        ("claude-desktop", json.loads, "mcpServers"),
        ("cursor", json.loads, "mcpServers"),
        ("vscode", json.loads, "servers"),
        ("codex", tomllib.loads, "mcp_servers"),
    ],
)
def test_the_output_is_a_complete_configuration(pilot: Pilot, home: Path, client: str, parse: Any, key: str) -> None:
    outcome = pilot("mcp-config", client)
    entry = parse(outcome.out)[key]["browser-pilot"]
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["command"]).is_file()
    assert entry["env"] == {"BROWSER_PILOT_HOME": str(home)}
    assert outcome.err


def test_claude_code_gets_a_command(pilot: Pilot, home: Path) -> None:
    command = shlex.split(pilot("mcp-config", "claude-code").out)
    assert command[:3] == ["claude", "mcp", "add"]
    assert f"BROWSER_PILOT_HOME={home}" in command
    assert Path(command[command.index("--") + 1]).is_file()


def test_the_default_home_needs_no_variable() -> None:
    assert json.loads(mcp_servers_json(Launch("/bin/x", (), {}))) == {
        "mcpServers": {"browser-pilot": {"command": "/bin/x"}}
    }
    assert CLIENTS["cursor"].entry(Launch("/bin/py", ("-m", "x"), {}))["args"] == ["-m", "x"]


def test_an_unknown_client_is_rejected(pilot: Pilot) -> None:
    outcome = pilot("mcp-config", "netscape")
    assert outcome.code == 2
    assert "claude-desktop" in outcome.err


def test_options_of_the_client_are_validated_and_passed_on(pilot: Pilot) -> None:
    entry = json.loads(pilot("mcp-config", "cursor", "--engine", "own", "--headed", "--max-tokens", "4000").out)
    assert entry["mcpServers"]["browser-pilot"]["args"] == ["--engine", "own", "--headed", "--max-tokens", "4000"]
    outcome = pilot("mcp-config", "cursor", "--max-tokens", "many")
    assert outcome.code == 2
    assert "--max-tokens" in outcome.err


def test_write_adds_it_to_the_file_of_the_client_once_and_keeps_a_backup(pilot: Pilot, tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "mcpServers": {}\n}\n')
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    first = pilot("mcp-config", "cursor", "--write", env=env)
    assert first.code == 0, first.err
    assert "Added Browser Pilot to Cursor" in first.out
    written = file.read_text()
    assert "// mine" in written
    assert cast("Any", parse_jsonc(written))["mcpServers"]["browser-pilot"]["command"]
    (backup,) = file.parent.glob("mcp.json.*.bak")
    assert backup.read_text() == '{\n  // mine\n  "mcpServers": {}\n}\n'
    assert "already" in pilot("mcp-config", "cursor", "--write", env=env).out
    assert file.read_text() == written
    assert list(file.parent.glob("*.bak")) == [backup]


def test_a_file_that_cannot_be_parsed_stays_as_it_is(pilot: Pilot, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[mcp_servers\n")
    outcome = pilot("mcp-config", "codex", "--file", str(file))
    assert outcome.code == 1
    assert f"{file} cannot be changed" in outcome.err
    assert "--write" in outcome.err
    assert file.read_text() == "[mcp_servers\n"
    assert list(tmp_path.glob("*.bak")) == []


def test_links_contain_the_command(pilot: Pilot) -> None:
    link = pilot("mcp-config", "vscode", "--link", "--engine", "own").out.strip()
    entry = json.loads(unquote(link.removeprefix("vscode:mcp/install?")))
    assert entry["name"] == "browser-pilot"
    assert entry["args"] == ["--engine", "own"]
    query = parse_qs(urlsplit(pilot("mcp-config", "cursor", "--link").out.strip()).query)
    assert query["name"] == ["browser-pilot"]
    assert Path(json.loads(b64decode(query["config"][0]))["command"]).is_file()
    assert pilot("mcp-config", "goose", "--link").code == 1
