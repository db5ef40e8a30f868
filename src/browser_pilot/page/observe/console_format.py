"""Format strings of the console (``%s``, ``%d``, …), which Chromium reports with their values behind them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Of the Console standard: https://console.spec.whatwg.org/#formatter
_SPECIFIER = re.compile(r"%([sdifoOc%])")
# Previews of the first argument are no format strings if they are of an object.
_OBJECT = "{"


def format_message(text: str, arguments: Sequence[str]) -> str:
    """The message as the console shows it; ``text`` is what it is without a format string.

    ``arguments`` are the previews of the values. Styles (``%c``) are left out.
    """
    if len(arguments) < 2 or "%" not in arguments[0] or arguments[0].startswith(_OBJECT):
        return text
    values = iter(arguments[1:])

    def value(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        given = next(values, None)
        if given is None:
            return found[0]
        return _as_number(given, found[1]) if found[1] in "dif" else "" if found[1] == "c" else given

    return " ".join([_SPECIFIER.sub(value, arguments[0]), *values])


def _as_number(preview: str, specifier: str) -> str:
    try:
        number = float(preview)
        return str(number if specifier == "f" and not number.is_integer() else int(number))
    except (ValueError, OverflowError):
        return "NaN"
