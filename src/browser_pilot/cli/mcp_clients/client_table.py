"""The MCP clients that `mcp-config` knows: the file of each, its format, and the form of an entry. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote, urlencode

from browser_pilot.json_types import Json

from .documents import FileFormat, with_server

SERVER = "browser-pilot"
ClientName = Literal[
    "claude-desktop",
    "claude-code",
    "cursor",
    "vscode",
    "codex",
    "gemini-cli",
    "windsurf",
    "zed",
    "cline",
    "opencode",
    "goose",
    "lm-studio",
]
GOOSE_TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Launch:
    """How a client starts the adapter."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True)
class System:
    """What the place of a file depends on."""

    platform: str
    user_home: Path
    environ: Mapping[str, str]

    @property
    def config(self) -> Path:
        """The folder of configurations as command-line programs use it, on every system."""
        chosen = self.environ.get("XDG_CONFIG_HOME", "").strip()
        return Path(chosen) if chosen and self.platform != "win32" else self.user_home / ".config"

    @property
    def app_data(self) -> Path:
        """The folder of configurations as desktop applications use it."""
        if self.platform == "win32":
            chosen = self.environ.get("APPDATA")
            return Path(chosen) if chosen else self.user_home / "AppData" / "Roaming"
        if self.platform == "darwin":
            return self.user_home / "Library" / "Application Support"
        return self.config


@dataclass(frozen=True)
class McpClient:
    title: str
    file_format: FileFormat
    keys: tuple[str, ...]
    """Where servers are in the file."""
    file: Callable[[System], Path]
    entry: Callable[[Launch], dict[str, Json]]
    managed: frozenset[str]
    """The fields of an entry that are ours; a client's other fields (such as approved tools) are the user's."""

    def document(self, launch: Launch, text: str = "") -> str:
        """The client's configuration with Browser Pilot. Raises ``InvalidDocument``."""
        return with_server(self.file_format, text, (*self.keys, SERVER), self.entry(launch), self.managed)


def _standard_entry(launch: Launch) -> dict[str, Json]:
    entry: dict[str, Json] = {"command": launch.command}
    if launch.args:
        entry["args"] = list(launch.args)
    if launch.env:
        entry["env"] = dict(launch.env)
    return entry


def _typed_entry(launch: Launch) -> dict[str, Json]:
    return {"type": "stdio", **_standard_entry(launch)}


def _zed_entry(launch: Launch) -> dict[str, Json]:
    return {"source": "custom", **_standard_entry(launch)}


def _opencode_entry(launch: Launch) -> dict[str, Json]:
    variables: dict[str, Json] = {"environment": dict(launch.env)} if launch.env else {}
    return {"type": "local", "command": [launch.command, *launch.args], "enabled": True, **variables}


def _goose_entry(launch: Launch) -> dict[str, Json]:
    return {
        "name": SERVER,
        "type": "stdio",
        "enabled": True,
        "cmd": launch.command,
        "args": list(launch.args),
        "envs": dict(launch.env),
        "timeout": GOOSE_TIMEOUT_SECONDS,
    }


def _opencode_file(system: System) -> Path:
    folder = system.config / "opencode"
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.is_file() else folder / "opencode.json"


def _claude_code_file(system: System) -> Path:
    chosen = system.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(chosen) if chosen else system.user_home) / ".claude.json"


def _codex_file(system: System) -> Path:
    chosen = system.environ.get("CODEX_HOME")
    return (Path(chosen) if chosen else system.user_home / ".codex") / "config.toml"


def _goose_file(system: System) -> Path:
    folder = system.app_data / "Block" / "goose" / "config" if system.platform == "win32" else system.config / "goose"
    return folder / "config.yaml"


def _zed_file(system: System) -> Path:
    folder = system.app_data / "Zed" if system.platform == "win32" else system.config / "zed"
    return folder / "settings.json"


def _json_client(
    title: str,
    key: str,
    file: Callable[[System], Path],
    entry: Callable[[Launch], dict[str, Json]] = _standard_entry,
) -> McpClient:
    return McpClient(title, "json", (key,), file, entry, frozenset({"type", "source", "command", "args", "env"}))


_CODE = ("Code", "User")
_CLINE = (*_CODE, "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")

CLIENTS: dict[ClientName, McpClient] = {
    "claude-desktop": _json_client(
        "Claude Desktop", "mcpServers", lambda system: system.app_data / "Claude" / "claude_desktop_config.json"
    ),
    "claude-code": _json_client("Claude Code", "mcpServers", _claude_code_file, _typed_entry),
    "cursor": _json_client("Cursor", "mcpServers", lambda system: system.user_home / ".cursor" / "mcp.json"),
    "vscode": _json_client(
        "VS Code", "servers", lambda system: system.app_data.joinpath(*_CODE, "mcp.json"), _typed_entry
    ),
    "codex": McpClient(
        "Codex", "toml", ("mcp_servers",), _codex_file, _standard_entry, frozenset({"command", "args", "env"})
    ),
    "gemini-cli": _json_client("Gemini CLI", "mcpServers", lambda system: system.user_home / ".gemini/settings.json"),
    "windsurf": _json_client(
        "Windsurf", "mcpServers", lambda system: system.user_home / ".codeium/windsurf/mcp_config.json"
    ),
    "zed": _json_client("Zed", "context_servers", _zed_file, _zed_entry),
    "cline": _json_client("Cline", "mcpServers", lambda system: system.app_data.joinpath(*_CLINE)),
    "opencode": McpClient(
        "opencode",
        "json",
        ("mcp",),
        _opencode_file,
        _opencode_entry,
        frozenset({"type", "command", "args", "enabled", "environment"}),
    ),
    "goose": McpClient(
        "Goose",
        "yaml",
        ("extensions",),
        _goose_file,
        _goose_entry,
        frozenset({"name", "type", "enabled", "cmd", "args", "envs", "timeout"}),
    ),
    "lm-studio": _json_client("LM Studio", "mcpServers", lambda system: system.user_home / ".lmstudio/mcp.json"),
}
assert set(CLIENTS) == set(get_args(ClientName))  # noqa: S101


def install_link(client: ClientName, launch: Launch) -> str | None:
    """A link that makes the client ask whether to add Browser Pilot; only some clients have them."""
    entry = CLIENTS[client].entry(launch)
    if client == "vscode":
        return f"vscode:mcp/install?{quote(_compact({'name': SERVER, **entry}), safe='')}"
    if client == "cursor":
        config = base64.b64encode(_compact(entry).encode()).decode()
        return f"cursor://anysphere.cursor-deeplink/mcp/install?{urlencode({'name': SERVER, 'config': config})}"
    return None


def _compact(data: Mapping[str, Json]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
