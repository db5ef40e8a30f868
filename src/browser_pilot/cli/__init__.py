"""The command line: `browser-pilot COMMAND`. One file per family of commands.

Only the command that was asked for is imported, and it imports what is heavy (the hub, MCP) only when it runs, so that
`status` and `log` answer at once. `--help` imports them all.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, cast

import typer

from .. import __version__
from ..errors import PilotError
from .output import BAD, err, print_error, say

INTERRUPTED = 130
HUB, CONTROL, RECORDS, TOOLS, OWN, MACHINE = (
    "The hub",
    "What agents may do",
    "What agents did, and what is yours",
    "The tools",
    "Your own browser",
    "This machine",
)


class Place(NamedTuple):
    """Where a command (a function) or a family of commands (a ``Typer``) is, and under which heading it is listed."""

    module: str
    attribute: str
    heading: str


COMMANDS = {
    "serve": Place("serve", "serve", HUB),
    "status": Place("status", "status", HUB),
    "stop": Place("status", "stop", HUB),
    "dashboard": Place("dashboard", "dashboard", HUB),
    "approvals": Place("approvals", "approvals", CONTROL),
    "approve": Place("approvals", "approve", CONTROL),
    "deny": Place("approvals", "deny", CONTROL),
    "policy": Place("policy", "commands", CONTROL),
    "log": Place("log", "commands", RECORDS),
    "secret": Place("secrets", "commands", RECORDS),
    "backup": Place("backup", "backup", RECORDS),
    "restore": Place("backup", "restore", RECORDS),
    "tools": Place("tools", "tools", TOOLS),
    "call": Place("call", "call", TOOLS),
    "demo": Place("demo", "demo", TOOLS),
    "extension": Place("extension", "extension", OWN),
    "pair": Place("browsers", "pair", OWN),
    "browsers": Place("browsers", "commands", OWN),
    "dev": Place("dev", "dev", MACHINE),
    "guest": Place("guest", "commands", TOOLS),
    "doctor": Place("doctor", "doctor", MACHINE),
    "mcp-config": Place("mcp_config", "mcp_config", MACHINE),
    "setup-browser": Place("setup_browser", "setup_browser", MACHINE),
    "config": Place("settings", "commands", MACHINE),
}


def build_app(only: str | None = None) -> typer.Typer:
    """The command line with all commands, or with the one that is needed."""
    app = typer.Typer(
        name="browser-pilot",
        help="Lets an AI agent use a web browser, under your control.\n\n"
        "Without a command it speaks MCP on stdio: that is how MCP clients start it.",
        epilog="Every command takes --debug to show where an error came from.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_options)
    for name, place in COMMANDS.items():
        if only in (None, name):
            found: object = getattr(import_module(f".{place.module}", __package__), place.attribute)
            if isinstance(found, typer.Typer):
                app.add_typer(found, name=name, rich_help_panel=place.heading)
            else:
                app.command(name, rich_help_panel=place.heading)(cast(Callable[..., None], found))
    return app


def _options(version: bool = typer.Option(False, "--version", help="Show the version.")) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    # Without a handler Python prints warnings to the terminal, which belongs to the command.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        build_app(arguments[0] if arguments and arguments[0] in COMMANDS else None)(arguments)
    except PilotError as error:
        if debug:
            raise
        print_error(error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if debug:
            raise
        say(BAD, f" {error.filename or 'System'}: {error.strerror or error}", to=err)
        say("  → `browser-pilot doctor` looks for the cause.", to=err)
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        say(BAD, f" Something went wrong: {error or type(error).__name__}", to=err)
        say("  → Run it again with --debug to see where, and report it as a bug.", to=err)
        sys.exit(1)
