"""The command line: `browser-pilot COMMAND`. One module per command or command group.

Only the module of the given command is imported, and it imports heavy packages (the hub, MCP) only when it runs, so
that `status` and `log` start fast. `--help` imports all modules.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, cast

import typer

from browser_pilot import __version__
from browser_pilot.errors import PilotError

from .client_options import with_client_options
from .output import FAILURE, err, print_error, print_line

INTERRUPTED_EXIT_CODE = 130
HUB, POLICY, RECORDS, TOOLS, USER_CHROME, SETUP = (
    "Hub",
    "What agents may do",
    "Audit log, secrets and backups",
    "Tools",
    "Your own Chrome",
    "Setup and diagnostics",
)


class _Command(NamedTuple):
    """Where a command (a function) or command group (a ``Typer``) is defined, and its heading in the help."""

    module: str
    attribute: str
    heading: str


COMMANDS = {
    "serve": _Command("serve", "serve", HUB),
    "status": _Command("status", "status", HUB),
    "stop": _Command("status", "stop", HUB),
    "dashboard": _Command("dashboard", "dashboard", HUB),
    "approvals": _Command("approvals", "approvals", POLICY),
    "approve": _Command("approvals", "approve", POLICY),
    "deny": _Command("approvals", "deny", POLICY),
    "policy": _Command("policy", "commands", POLICY),
    "log": _Command("log", "commands", RECORDS),
    "secret": _Command("secrets", "commands", RECORDS),
    "backup": _Command("backup", "backup", RECORDS),
    "restore": _Command("backup", "restore", RECORDS),
    "tools": _Command("tools", "tools", TOOLS),
    "call": _Command("call", "call", TOOLS),
    "demo": _Command("demo", "demo", TOOLS),
    "extension": _Command("extension", "extension", USER_CHROME),
    "pair": _Command("browsers", "pair", USER_CHROME),
    "browsers": _Command("browsers", "commands", USER_CHROME),
    "dev": _Command("dev", "dev", SETUP),
    "guest": _Command("guests", "commands", TOOLS),
    "doctor": _Command("doctor", "doctor", SETUP),
    "mcp-config": _Command("mcp_config", "mcp_config", SETUP),
    "setup-browser": _Command("setup_browser", "setup_browser", SETUP),
    "config": _Command("config", "commands", SETUP),
}


def build_app(only: str | None = None) -> typer.Typer:
    """The command line with all commands, or with one."""
    app = typer.Typer(
        name="browser-pilot",
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Lets an AI agent use a web browser, under your control.\n\n"
        "Without a command it is an MCP server on stdio, which is how MCP clients start it.",
        epilog="Every command accepts --debug, which shows the traceback of an error.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(
        with_client_options(_options, "Options of an MCP client, without a command")
    )
    for name, command in COMMANDS.items():
        if only in (None, name):
            entry: object = getattr(import_module(f".commands.{command.module}", __package__), command.attribute)
            if isinstance(entry, typer.Typer):
                app.add_typer(entry, name=name, rich_help_panel=command.heading)
            else:
                app.command(name, rich_help_panel=command.heading)(cast(Callable[..., None], entry))
    return app


def _options(
    version: bool = typer.Option(False, "--version", help="Show the version."), client_arguments: tuple[str, ...] = ()
) -> None:
    # Without a command the adapter parses the options of a client (``__main__``); here they are for the help.
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    # Without a handler Python prints log warnings to the terminal, between the command's own output.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        build_app(arguments[0] if arguments and arguments[0] in COMMANDS else None)(arguments)
    except PilotError as error:
        if debug:
            raise
        print_error(error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EXIT_CODE)
    except OSError as error:
        if debug:
            raise
        print_line(FAILURE, f" {error.filename or 'System'}: {error.strerror or error}", to=err)
        print_line("  → Run `browser-pilot doctor` to find the cause.", to=err)
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        print_line(FAILURE, f" Unexpected error: {error or type(error).__name__}", to=err)
        print_line("  → Run it again with --debug for the traceback, and report it as a bug.", to=err)
        sys.exit(1)
