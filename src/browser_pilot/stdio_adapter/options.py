"""The options of one client: one table for the adapter's command line, for ``--help`` and for ``mcp-config``.

Only those that were given are sent to the hub.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .hub_restart import Options


class ClientOption(NamedTuple):
    """``metavar`` is empty for a flag. ``parse`` makes what the hub gets, or raises ``ValueError``."""

    flag: str
    metavar: str
    help: str
    choices: tuple[str, ...] = ()
    parse: Callable[[str], str | int] = str


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the arguments; exits with a message when they are invalid."""
    # Imported here: without options the adapter does not need it.
    import argparse

    parser = argparse.ArgumentParser(
        prog="browser-pilot",
        description="Speaks MCP on standard input and output; MCP clients start it. See also: browser-pilot --help.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    for option in CLIENT_OPTIONS:
        if option.metavar:
            parser.add_argument(
                option.flag,
                metavar=option.metavar,
                choices=option.choices or None,
                type=_argument_type(option.parse),
                help=option.help,
            )
        else:
            parser.add_argument(option.flag, action="store_true", help=option.help)
    given: dict[str, str | int | bool] = vars(parser.parse_args(arguments))
    return given


def _argument_type(parse: Callable[[str], str | int]) -> Callable[[str], str | int]:
    from argparse import ArgumentTypeError

    def convert(text: str) -> str | int:
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return convert


def _absolute(path: str) -> str:
    # The hub's current folder differs from this client's.
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - a path to send, not one to use


def _browser(path_or_name: str) -> str:
    return _absolute(path_or_name) if "/" in path_or_name or os.sep in path_or_name else path_or_name


def _viewport(size: str) -> str:
    if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", size, re.ASCII):
        raise ValueError(f"{size!r} is not a size such as 1280x720")
    return size


def _positive(number: str) -> int:
    if not re.fullmatch(r"0*[1-9]\d{0,9}", number, re.ASCII):
        raise ValueError(f"{number!r} is not a whole number above zero")
    return int(number)


CLIENT_OPTIONS = (
    ClientOption("--tools", "NAMES", "profiles (minimal, standard, full) or tools, comma-separated; -name removes one"),
    ClientOption("--format", "FORMAT", "format of tool results: toon or json", ("toon", "json")),
    ClientOption(
        "--engine",
        "ENGINE",
        "where browsers come from: managed (launched for agents), own (your own Chrome), cdp, grid",
        ("managed", "own", "cdp", "grid"),
    ),
    ClientOption("--cdp", "URL", "CDP endpoint of a running browser"),
    ClientOption("--grid", "URL", "a Selenium Grid"),
    ClientOption("--own-browser", "NAME", "name of a paired browser"),
    ClientOption("--headed", "", "show the browser window"),
    ClientOption(
        "--browser", "PATH_OR_NAME", "the browser to launch: a path, or chrome, chromium, edge", parse=_browser
    ),
    ClientOption("--user-data-dir", "DIR", "a persistent browser profile", parse=_absolute),
    ClientOption("--viewport", "WxH", "viewport size, such as 1280x720", parse=_viewport),
    ClientOption("--read-only", "", "allow reading only"),
    ClientOption("--max-tokens", "N", "maximum tokens of one tool result", parse=_positive),
    ClientOption("--timeout-ms", "N", "timeout of one call", parse=_positive),
)
