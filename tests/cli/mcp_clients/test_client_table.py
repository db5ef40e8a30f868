"""Where each MCP client keeps its servers, on each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.cli.mcp_clients.client_table import CLIENTS, ClientName, System

HOME = Path("/home/ann")
LINUX = System("linux", HOME, {})
MACOS = System("darwin", HOME, {})
WINDOWS = System("win32", HOME, {"APPDATA": "/roaming"})
CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


@pytest.mark.parametrize(
    ("client", "linux", "macos", "windows"),
    [
        (
            "claude-desktop",
            "/home/ann/.config/Claude/claude_desktop_config.json",
            "/home/ann/Library/Application Support/Claude/claude_desktop_config.json",
            "/roaming/Claude/claude_desktop_config.json",
        ),
        ("claude-code", "/home/ann/.claude.json", "/home/ann/.claude.json", "/home/ann/.claude.json"),
        ("cursor", "/home/ann/.cursor/mcp.json", "/home/ann/.cursor/mcp.json", "/home/ann/.cursor/mcp.json"),
        (
            "vscode",
            "/home/ann/.config/Code/User/mcp.json",
            "/home/ann/Library/Application Support/Code/User/mcp.json",
            "/roaming/Code/User/mcp.json",
        ),
        ("codex", "/home/ann/.codex/config.toml", "/home/ann/.codex/config.toml", "/home/ann/.codex/config.toml"),
        (
            "zed",
            "/home/ann/.config/zed/settings.json",
            "/home/ann/.config/zed/settings.json",
            "/roaming/Zed/settings.json",
        ),
        (
            "goose",
            "/home/ann/.config/goose/config.yaml",
            "/home/ann/.config/goose/config.yaml",
            "/roaming/Block/goose/config/config.yaml",
        ),
        (
            "cline",
            f"/home/ann/.config/{CLINE}",
            f"/home/ann/Library/Application Support/{CLINE}",
            f"/roaming/{CLINE}",
        ),
    ],
)
def test_the_file_of_a_client(client: ClientName, linux: str, macos: str, windows: str) -> None:
    file = CLIENTS[client].file
    assert [file(system) for system in (LINUX, MACOS, WINDOWS)] == [Path(linux), Path(macos), Path(windows)]


def test_variables_that_move_a_file_count() -> None:
    environ = {"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/cc", "XDG_CONFIG_HOME": "/x"}
    system = System("linux", HOME, environ)
    assert CLIENTS["codex"].file(system) == Path("/c/config.toml")
    assert CLIENTS["claude-code"].file(system) == Path("/cc/.claude.json")
    assert CLIENTS["zed"].file(system) == Path("/x/zed/settings.json")


def test_opencode_with_a_file_with_comments_uses_that(tmp_path: Path) -> None:
    system = System("linux", tmp_path, {})
    folder = tmp_path / ".config" / "opencode"
    assert CLIENTS["opencode"].file(system) == folder / "opencode.json"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").touch()
    assert CLIENTS["opencode"].file(system) == folder / "opencode.jsonc"
