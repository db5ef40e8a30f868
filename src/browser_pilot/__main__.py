"""The command `browser-pilot`: with a subcommand the command line, without one the stdio adapter."""

from __future__ import annotations

import sys


def main() -> None:
    arguments = sys.argv[1:]
    # Each way imports only what it needs: the adapter must start fast.
    if arguments == ["--version"]:
        from . import __version__

        sys.stdout.write(f"{__version__}\n")
    elif _is_for_the_adapter(arguments):
        from .adapter.pump import run_adapter

        run_adapter(arguments)
    else:
        from .cli import main as run_command_line

        run_command_line()


def _is_for_the_adapter(arguments: list[str]) -> bool:
    """Options without a command are an MCP client's; ``--debug`` is for commands and may stand before one."""
    first = next((argument for argument in arguments if argument != "--debug"), None)
    if first is None:
        return not arguments
    return first.startswith("-") and first not in {"-h", "--help", "--version"}


if __name__ == "__main__":
    main()
