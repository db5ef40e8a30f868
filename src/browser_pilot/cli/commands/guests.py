"""`browser-pilot guest`: third-party MCP servers that run in a sandbox, installed with the user's consent.

The implementation is in ``guest_commands``, whose imports `--help` should not wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from browser_pilot.cli.output import out, print_json, print_line, print_table
from browser_pilot.home import locate_home

from .call import call as call_any_tool
from .status import AsJson

commands = typer.Typer(help="Manage guests: third-party MCP servers in a sandbox.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The guest's name; `browser-pilot guest list` shows them.")]
Source = Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a .mcpw or .zip package, or a manifest file.")]
Yes = Annotated[bool, typer.Option("--yes", help="Confirm without asking.")]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the secrets and grants of the guest that it replaces.")]
Can = Annotated[
    list[str],
    typer.Option("--can", metavar="WHAT", help="read, cookies, login, fetch: one or more, separated by commas."),
]
Client = Annotated[str, typer.Option("--client", help="Only for the client of this name; `status` shows the names.")]
Site = Annotated[str, typer.Argument(metavar="SITE", help="example.com, localhost:3000")]


@commands.command()
def add(path: Source, yes: Yes = False, keep: Keep = False) -> None:
    """Add a guest: shows what it requests and asks for your consent, again when the guest has changed.

    A guest that replaces another of its name gets none of its secrets and grants, unless you keep them.
    """
    from browser_pilot.cli.guest_commands import add_guest

    add_guest(locate_home(), path, yes=yes, keep=keep)


@commands.command("list")
def list_guests(as_json: AsJson = False) -> None:
    """List the installed guests."""
    from browser_pilot.cli.guest_commands import guest_row, guests_data

    home = locate_home()
    guests = guests_data(home)
    if as_json:
        print_json(guests)
    elif guests:
        print_table(("Guest", "Version", "Kind", "Tools", "State"), [guest_row(guest) for guest in guests])
    else:
        print_line("No guests are installed. `browser-pilot guest new my-guest` creates one to start from.")


@commands.command()
def info(name: Name, as_json: AsJson = False) -> None:
    """Show a guest's details, what it requests, and its grants."""
    from browser_pilot.cli.guest_commands import guest_data, show_guest

    if as_json:
        print_json(guest_data(locate_home(), name))
    else:
        show_guest(locate_home(), name)


@commands.command()
def remove(name: Name, yes: Yes = False) -> None:
    """Remove a guest with its log, grants and secrets."""
    from browser_pilot.cli.guest_commands import remove_guest

    remove_guest(locate_home(), name, yes=yes)


@commands.command()
def enable(name: Name) -> None:
    """Enable a guest: agents can use its tools."""
    from browser_pilot.cli.guest_commands import set_guest_enabled

    set_guest_enabled(locate_home(), name, on=True)


@commands.command()
def disable(name: Name) -> None:
    """Disable a guest without removing it."""
    from browser_pilot.cli.guest_commands import set_guest_enabled

    set_guest_enabled(locate_home(), name, on=False)


@commands.command()
def secret(name: Name, variable: Annotated[str, typer.Argument(metavar="SECRET")]) -> None:
    """Set a secret of a guest; the value is read from the terminal or standard input."""
    from browser_pilot.cli.guest_commands import set_guest_secret

    set_guest_secret(locate_home(), name, variable)


@commands.command()
def restart(name: Name) -> None:
    """Let a guest start anew, with new secrets; calls that run are finished first."""
    from browser_pilot.cli.guest_commands import restart_guest

    restart_guest(locate_home(), name)


@commands.command()
def allow(name: Name, site: Site, can: Can = [], client: Client = "") -> None:  # noqa: B006  typer's way
    """Always allow a guest's permissions on a site, without asking: by default those that its manifest lists."""
    from browser_pilot.cli.guest_commands import save_grant

    save_grant(locate_home(), name, site, can, "allow", client=client)


@commands.command()
def forbid(name: Name, site: Site, can: Can = [], client: Client = "") -> None:  # noqa: B006
    """Never allow a guest's permissions on a site, without asking: by default all of them."""
    from browser_pilot.cli.guest_commands import save_grant

    save_grant(locate_home(), name, site, can, "deny", client=client)


@commands.command()
def call(
    name: Name,
    tool: Annotated[str, typer.Argument(help="One of the guest's tools.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments as a JSON object; - reads standard input.")] = "{}",
    as_json: AsJson = False,
) -> None:
    """Call a guest's tool through the hub and print its result."""
    from browser_pilot.cli.guest_commands import require_tool

    shown = require_tool(locate_home(), name, tool)
    call_any_tool(shown, arguments, as_json=as_json, browser=None, user_data_dir=None, save_to=None)


@commands.command()
def logs(
    name: Name, lines: Annotated[int, typer.Option("--lines", "-n", help="The number of lines, from the end.")] = 50
) -> None:
    """Show a guest's output and why it was stopped."""
    from browser_pilot.cli.guest_commands import last_lines

    for line in last_lines(locate_home(), name, lines):
        out.out(line, highlight=False)


@commands.command()
def test(
    path: Annotated[str, typer.Argument(metavar="PATH|NAME", help="An installed guest, or the path of one.")],
) -> None:
    """Start a guest in the sandbox, without a browser, and list its tools."""
    from browser_pilot.cli.guest_commands import test_guest

    test_guest(locate_home(), path)


@commands.command()
def new(
    name: Annotated[str, typer.Argument(help="The guest's name; creates a folder of that name.")],
    js: Annotated[bool, typer.Option("--js", help="In JavaScript (the default).")] = False,
    wasm: Annotated[bool, typer.Option("--wasm", help="In C, as a WebAssembly module.")] = False,
) -> None:
    """Create a working guest to start from."""
    from browser_pilot.cli.guest_commands import create_guest

    kind: Literal["js", "wasm"] = "wasm" if wasm and not js else "js"
    create_guest(Path.cwd(), name, kind)
