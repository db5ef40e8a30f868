"""`browser-pilot mcp-config`: prints the configuration with which an MCP client starts Browser Pilot."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from browser_pilot.cli.output import err, out, print_line
from browser_pilot.config.settings import HOME_VARIABLE

ClientName = Literal["claude-desktop", "claude-code", "cursor", "vscode", "codex"]
SERVER = "browser-pilot"


@dataclass(frozen=True)
class Launch:
    """How a client starts the adapter."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]


def mcp_config(
    client: Annotated[ClientName, typer.Argument(help="The MCP client to configure.")] = "claude-desktop",
) -> None:
    """Print the configuration for an MCP client, ready to paste."""
    instruction, render = CLIENTS[client]
    print_line(instruction, to=err)
    out.out(render(launch()), highlight=False)


def launch(environ: Mapping[str, str] | None = None) -> Launch:
    """The command with its absolute path: clients start it with another PATH and working directory."""
    environ = os.environ if environ is None else environ
    home = environ.get(HOME_VARIABLE)
    env = {HOME_VARIABLE: str(Path(home).expanduser().absolute())} if home else {}
    suffix = ".exe" if sys.platform == "win32" else ""
    beside_python = Path(sys.executable).parent / f"browser-pilot{suffix}"
    on_path = shutil.which("browser-pilot")
    if beside_python.is_file():
        return Launch(str(beside_python), (), env)
    if on_path:
        return Launch(str(Path(on_path).absolute()), (), env)
    return Launch(sys.executable, ("-m", "browser_pilot"), env)


def server_entry(start: Launch) -> dict[str, object]:
    entry: dict[str, object] = {"command": start.command}
    if start.args:
        entry["args"] = list(start.args)
    if start.env:
        entry["env"] = dict(start.env)
    return entry


def mcp_servers_json(start: Launch) -> str:
    return _json({"mcpServers": {SERVER: server_entry(start)}})


def _vscode(start: Launch) -> str:
    return _json({"servers": {SERVER: {"type": "stdio", **server_entry(start)}}})


def _claude_code(start: Launch) -> str:
    variables = [part for name, value in start.env.items() for part in ("--env", f"{name}={value}")]
    return shlex.join(["claude", "mcp", "add", *variables, SERVER, "--", start.command, *start.args])


def _codex(start: Launch) -> str:
    # A JSON string or list of strings is TOML too.
    lines = [f"[mcp_servers.{SERVER}]", f"command = {json.dumps(start.command)}"]
    if start.args:
        lines.append(f"args = {json.dumps(list(start.args))}")
    if start.env:
        pairs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in start.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines)


def _json(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


CLIENTS: dict[ClientName, tuple[str, Callable[[Launch], str]]] = {
    "claude-desktop": ("Claude Desktop: Settings → Developer → Edit Config.", mcp_servers_json),
    "claude-code": ("Claude Code: run this command.", _claude_code),
    "cursor": ("Cursor: add this to ~/.cursor/mcp.json.", mcp_servers_json),
    "vscode": ("VS Code: add this to .vscode/mcp.json, or run “MCP: Open User Configuration”.", _vscode),
    "codex": ("Codex: add this to ~/.codex/config.toml.", _codex),
}
