"""The adapter's command line: options that hold for this client alone. Only those that were given reach the hub."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence

from .link import Options


def parse_options(arguments: Sequence[str]) -> Options:
    """Turn arguments into options; ends the process with a message when they are wrong."""
    parser = argparse.ArgumentParser(
        prog="browser-pilot",
        description="Speaks MCP on standard input and output; MCP clients start it. See also: browser-pilot --help.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    parser.add_argument("--tools", metavar="NAMES", help="profiles or tools, by comma; -name removes one")
    parser.add_argument("--format", choices=["toon", "json"], help="the form of the answers")
    parser.add_argument(
        "--engine", choices=["managed", "own", "cdp", "grid"], help="a browser of its own, or yours by the extension"
    )
    parser.add_argument("--cdp", metavar="URL", help="a browser elsewhere, by its CDP endpoint")
    parser.add_argument("--grid", metavar="URL", help="browsers of a Selenium Grid")
    parser.add_argument("--own-browser", metavar="NAME", help="which of your paired browsers")
    parser.add_argument("--headed", action="store_true", help="show the browser's window")
    parser.add_argument("--browser", metavar="PATH_OR_NAME", type=_browser, help="which browser to use")
    parser.add_argument("--user-data-dir", metavar="DIR", type=_absolute, help="a profile that is kept")
    parser.add_argument("--viewport", metavar="WxH", type=_viewport, help="the page's size, such as 1280x720")
    parser.add_argument("--read-only", action="store_true", help="look, but change nothing")
    parser.add_argument("--max-tokens", metavar="N", type=_positive, help="the most that one answer may have")
    parser.add_argument("--timeout-ms", metavar="N", type=_positive, help="how long one action may take")
    given: dict[str, str | int | bool] = vars(parser.parse_args(arguments))
    return given


def _absolute(path: str) -> str:
    # The hub has another current folder than this client.
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
