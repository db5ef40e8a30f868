"""`browser-pilot guest`: third-party MCP servers that run in a sandbox, added with the user's yes.

What the commands do is in ``guest_work``, which needs more imports than `--help` should wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..home import locate_home
from .call import call as call_any_tool
from .output import out, print_json, print_table, say
from .status import AsJson

commands = typer.Typer(help="Guests: third-party MCP servers in a sandbox.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="`browser-pilot guest list` shows them.")]
Source = Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a .mcpw or .zip package, or a manifest file.")]
Yes = Annotated[bool, typer.Option("--yes", help="Say yes to what it asks for without being asked.")]
Permissions = Annotated[
    list[str] | None, typer.Argument(metavar="[PERMISSION]…", help="browser:tabs.create …; all of them if left out.")
]
Site = Annotated[str, typer.Argument(metavar="SITE", help="example.com, localhost:3000")]


@commands.command()
def add(path: Source, yes: Yes = False) -> None:
    """Add a guest: shows what it asks for, and needs your yes. A changed guest needs it again."""
    from .guest_work import add_guest

    add_guest(locate_home(), path, yes=yes)


@commands.command("list")
def list_guests(as_json: AsJson = False) -> None:
    """The guests that you have added."""
    from .guest_work import guest_row, guests_data

    home = locate_home()
    guests = guests_data(home)
    if as_json:
        print_json(guests)
    elif guests:
        print_table(("Guest", "Version", "Kind", "Tools", "State"), [guest_row(guest) for guest in guests])
    else:
        say("There are no guests. `browser-pilot guest new my-guest` makes one to start from.")


@commands.command()
def info(name: Name, as_json: AsJson = False) -> None:
    """What a guest is, asks for, and was allowed."""
    from .guest_work import guest_data, show_guest

    if as_json:
        print_json(guest_data(locate_home(), name))
    else:
        show_guest(locate_home(), name)


@commands.command()
def remove(name: Name, yes: Yes = False) -> None:
    """Remove a guest with its log, its grants and the secrets that you gave it."""
    from .guest_work import remove_guest

    remove_guest(locate_home(), name, yes=yes)


@commands.command()
def enable(name: Name) -> None:
    """Let agents use a guest again."""
    from .guest_work import switch_guest

    switch_guest(locate_home(), name, on=True)


@commands.command()
def disable(name: Name) -> None:
    """Keep a guest, but do not run it."""
    from .guest_work import switch_guest

    switch_guest(locate_home(), name, on=False)


@commands.command()
def secret(name: Name, variable: Annotated[str, typer.Argument(metavar="SECRET")]) -> None:
    """Give a guest one of the secrets that it asks for; the value is read from the terminal or standard input."""
    from .guest_work import give_secret

    give_secret(locate_home(), name, variable)


@commands.command()
def allow(name: Name, site: Site, permissions: Permissions = None) -> None:
    """Let a guest do something on a site without asking you."""
    from .guest_work import keep_grant

    keep_grant(locate_home(), name, site, permissions, "allow")


@commands.command()
def forbid(name: Name, site: Site, permissions: Permissions = None) -> None:
    """Never let a guest do something on a site, and never ask."""
    from .guest_work import keep_grant

    keep_grant(locate_home(), name, site, permissions, "deny")


@commands.command()
def call(
    name: Name,
    tool: Annotated[str, typer.Argument(help="One of the guest's tools.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments as a JSON object; - reads standard input.")] = "{}",
    as_json: AsJson = False,
) -> None:
    """Call a guest's tool through the hub and print its answer."""
    from .guest_work import require_tool

    require_tool(locate_home(), name, tool)
    call_any_tool(f"{name}__{tool}", arguments, as_json=as_json, browser=None, user_data_dir=None, save_to=None)


@commands.command()
def logs(
    name: Name, lines: Annotated[int, typer.Option("--lines", "-n", help="How many of the last lines.")] = 50
) -> None:
    """What a guest printed, and why it was ended."""
    from .guest_work import last_lines

    for line in last_lines(locate_home(), name, lines):
        out.out(line, highlight=False)


@commands.command()
def test(
    path: Annotated[str, typer.Argument(metavar="PATH|NAME", help="A guest of yours, or one to be added.")],
) -> None:
    """Run a guest in the sandbox, without a browser, and see whether it is in order."""
    from .guest_work import test_guest

    test_guest(locate_home(), path)


@commands.command()
def new(
    name: Annotated[str, typer.Argument(help="The guest's name; a folder of that name is made.")],
    js: Annotated[bool, typer.Option("--js", help="In JavaScript (the default).")] = False,
    wasm: Annotated[bool, typer.Option("--wasm", help="In C, as a WebAssembly module.")] = False,
) -> None:
    """Make a working guest to start from."""
    from .guest_work import make_guest

    kind: Literal["js", "wasm"] = "wasm" if wasm and not js else "js"
    make_guest(Path.cwd(), name, kind)
