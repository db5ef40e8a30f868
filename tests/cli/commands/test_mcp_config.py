"""`mcp-config`: prints valid configuration that starts this installation."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.cli.commands.mcp_config import Launch, mcp_servers_json, server_entry
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
    assert server_entry(Launch("/bin/py", ("-m", "x"), {}))["args"] == ["-m", "x"]


def test_an_unknown_client_is_rejected(pilot: Pilot) -> None:
    outcome = pilot("mcp-config", "netscape")
    assert outcome.code == 2
    assert "claude-desktop" in outcome.err
