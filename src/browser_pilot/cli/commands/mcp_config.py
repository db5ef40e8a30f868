"""`browser-pilot mcp-config`: prints or writes the configuration with which an MCP client starts Browser Pilot."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from browser_pilot.cli.client_options import with_client_options
from browser_pilot.cli.mcp_clients.client_table import CLIENTS, SERVER, ClientName, Launch, System, install_link
from browser_pilot.cli.mcp_clients.config_file import add_to_file
from browser_pilot.cli.output import SUCCESS, err, out, print_line
from browser_pilot.config.settings import HOME_VARIABLE
from browser_pilot.errors import InvalidArgument


def _mcp_config(
    client: Annotated[ClientName, typer.Argument(help="The MCP client to configure.")] = "claude-desktop",
    write: Annotated[bool, typer.Option("--write", help="Add it to the client's file, which is backed up.")] = False,
    file: Annotated[
        Path | None, typer.Option("--file", help="The file to write, such as that of a project; implies --write.")
    ] = None,
    link: Annotated[bool, typer.Option("--link", help="Print a one-click link (vscode, cursor).")] = False,
    client_arguments: tuple[str, ...] = (),
) -> None:
    """Print the configuration for an MCP client, ready to paste, or write it. Options of the client are passed on."""
    start = replace(launch(), args=(*launch().args, *client_arguments))
    if link:
        print_link(client, start)
    elif write or file is not None:
        write_config(client, start, file)
    else:
        print_config(client, start)


mcp_config = with_client_options(_mcp_config, "Options of the client, which are passed on")


def print_link(client: ClientName, start: Launch) -> None:
    address = install_link(client, start)
    if address is None:
        raise InvalidArgument(
            f"{CLIENTS[client].title} has no one-click links.",
            suggestions=[f"`browser-pilot mcp-config {client} --write` adds Browser Pilot to its file."],
        )
    out.out(address, highlight=False)


def write_config(client: ClientName, start: Launch, file: Path | None) -> None:
    known = CLIENTS[client]
    written = add_to_file(known, file.expanduser() if file else client_file(client), start)
    if not written.changed:
        print_line(SUCCESS, f" {known.title} has Browser Pilot already: ", str(written.file))
        return
    print_line(SUCCESS, f" Added Browser Pilot to {known.title}: ", str(written.file))
    if written.backup:
        print_line("  The file as it was: ", str(written.backup))
    print_line(f"  → Restart {known.title}, or reload its MCP servers.")


def print_config(client: ClientName, start: Launch) -> None:
    known = CLIENTS[client]
    if client == "claude-code":
        print_line("Claude Code: run this command.", to=err)
        out.out(_claude_code_command(start), highlight=False)
        return
    print_line(f"{known.title}: add this to {client_file(client)}, or use --write.", to=err)
    out.out(known.document(start).rstrip("\n"), highlight=False)


def client_file(client: ClientName) -> Path:
    return CLIENTS[client].file(System(sys.platform, Path.home(), os.environ))


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


def mcp_servers_json(start: Launch) -> str:
    """The form that most clients use."""
    return CLIENTS["claude-desktop"].document(start).rstrip("\n")


def _claude_code_command(start: Launch) -> str:
    variables = [part for name, value in start.env.items() for part in ("--env", f"{name}={value}")]
    return shlex.join(["claude", "mcp", "add", *variables, SERVER, "--", start.command, *start.args])
