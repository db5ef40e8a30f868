"""The adapter's command line: options of this client. Only those that were given are sent to the hub."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence

from .hub_restart import Options


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the arguments; exits with a message when they are invalid."""
    parser = argparse.ArgumentParser(
        prog="browser-pilot",
        description="Speaks MCP on standard input and output; MCP clients start it. See also: browser-pilot --help.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    parser.add_argument("--tools", metavar="NAMES", help="profiles or tools, comma-separated; -name removes one")
    parser.add_argument("--format", choices=["toon", "json"], help="format of tool results")
    parser.add_argument(
        "--engine", choices=["managed", "own", "cdp", "grid"], help="launch a browser, or use your own Chrome (own)"
    )
    parser.add_argument("--cdp", metavar="URL", help="CDP endpoint of a running browser")
    parser.add_argument("--grid", metavar="URL", help="a Selenium Grid")
    parser.add_argument("--own-browser", metavar="NAME", help="name of a paired browser")
    parser.add_argument("--headed", action="store_true", help="show the browser window")
    parser.add_argument("--browser", metavar="PATH_OR_NAME", type=_browser, help="the browser to launch")
    parser.add_argument("--user-data-dir", metavar="DIR", type=_absolute, help="a persistent browser profile")
    parser.add_argument("--viewport", metavar="WxH", type=_viewport, help="viewport size, such as 1280x720")
    parser.add_argument("--read-only", action="store_true", help="allow reading only")
    parser.add_argument("--max-tokens", metavar="N", type=_positive, help="maximum tokens of one tool result")
    parser.add_argument("--timeout-ms", metavar="N", type=_positive, help="timeout of one action")
    given: dict[str, str | int | bool] = vars(parser.parse_args(arguments))
    return given


def _absolute(path: str) -> str:
    # The hub's current folder differs from this client's.
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - a path to send, not one to use


def _browser(path_or_name: str) -> str:
    return _absolute(path_or_name) if "/" in path_or_name or os.sep in path_or_name else path_or_name


def _viewport(size: str) -> str:
    if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", size, re.ASCII):
        raise argparse.ArgumentTypeError(f"{size!r} is not a size such as 1280x720")
    return size


def _positive(number: str) -> int:
    if not re.fullmatch(r"0*[1-9]\d{0,9}", number, re.ASCII):
        raise argparse.ArgumentTypeError(f"{number!r} is not a whole number above zero")
    return int(number)
