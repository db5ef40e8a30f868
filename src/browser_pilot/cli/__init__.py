"""The command line: `browser-pilot COMMAND`. One file per family of commands."""

from __future__ import annotations

import sys

import typer

from .. import __version__
from ..errors import PilotError
from .output import print_error
from .serve import serve

app = typer.Typer(
    name="browser-pilot",
    help="Lets an AI agent use a web browser, under your control. Without a command it speaks MCP on stdio.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command()(serve)


@app.callback(invoke_without_command=True)
def _options(version: bool = typer.Option(False, "--version", help="Show the version.")) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    try:
        app()
    except PilotError as error:
        print_error(error)
        sys.exit(1)
