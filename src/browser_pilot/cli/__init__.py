"""The command line: `browser-pilot COMMAND`. One file per family of commands.

Commands import what is heavy (the hub, MCP) only when they run, so that `status` and `--help` answer at once.
"""

from __future__ import annotations

import logging
import sys

import typer

from .. import __version__
from ..errors import PilotError
from .approvals import approvals, approve, deny
from .browsers import commands as browsers_commands
from .browsers import pair
from .call import call
from .demo import demo
from .dev import dev
from .doctor import doctor
from .extension import extension
from .mcp_config import mcp_config
from .output import BAD, err, print_error, say
from .policy import commands as policy_commands
from .serve import serve
from .settings import commands as config_commands
from .setup_browser import setup_browser
from .status import status, stop
from .tools import tools

INTERRUPTED = 130
HUB, CONTROL, TOOLS, OWN, MACHINE = (
    "The hub",
    "What agents may do",
    "The tools",
    "Your own browser",
    "This machine",
)

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
for command in (serve, status, stop):
    app.command(rich_help_panel=HUB)(command)
for command in (approvals, approve, deny):
    app.command(rich_help_panel=CONTROL)(command)
app.add_typer(policy_commands, name="policy", rich_help_panel=CONTROL)
for command in (tools, call, demo):
    app.command(rich_help_panel=TOOLS)(command)
for command in (extension, pair):
    app.command(rich_help_panel=OWN)(command)
app.add_typer(browsers_commands, name="browsers", rich_help_panel=OWN)
app.command(hidden=True)(dev)
for command in (doctor, mcp_config, setup_browser):
    app.command(rich_help_panel=MACHINE)(command)
app.add_typer(config_commands, name="config", rich_help_panel=MACHINE)


@app.callback(invoke_without_command=True)
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
        app(arguments)
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
