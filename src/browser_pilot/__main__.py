"""The command `browser-pilot`: the command line with a subcommand, the stdio adapter without one.

An adapter starts its hub as `serve --detached`, which is not a command of the command line.
"""

from __future__ import annotations

import sys


def main() -> None:
    arguments = sys.argv[1:]
    # Each branch imports only what it needs: the adapter must start fast.
    if arguments == ["--version"]:
        from . import __version__

        sys.stdout.write(f"{__version__}\n")
    elif arguments == ["serve", "--detached"]:
        from browser_pilot.hub.detached import run_detached_hub

        run_detached_hub()
    elif _starts_adapter(arguments):
        from browser_pilot.stdio_adapter.stdio_proxy import run_adapter

        run_adapter(arguments)
    else:
        from .cli import main as run_command_line

        run_command_line()


def _starts_adapter(arguments: list[str]) -> bool:
    """Options without a command come from an MCP client; ``--debug`` belongs to commands and may precede one."""
    first = next((argument for argument in arguments if argument != "--debug"), None)
    if first is None:
        return not arguments
    return first.startswith("-") and first not in {"-h", "--help", "--version"}


if __name__ == "__main__":
    main()
