"""Arguments that many tools share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from datetime import time as time_of_day
from typing import Annotated, Any

from pydantic import Field, JsonValue, WithJsonSchema

from browser_pilot.errors import InvalidArgument

_AROUND_PLUS = re.compile(r"(?<=\S)\s*+\+\s*+(?=\S)")
_ELEMENT: dict[str, JsonValue] = {"type": ["string", "object"]}
_FORMS = "ref, CSS, text=…, {role, name}, {ref, at: [x, y]}, {x, y}"
ElementField = Annotated[str | dict[str, Any], WithJsonSchema(_ELEMENT)]
# Described once, in the tool that is used most; the others take the same forms.
DescribedElement = Annotated[str | dict[str, Any], WithJsonSchema({**_ELEMENT, "description": _FORMS})]
# A number is no address: 3.5 would be the host 3.0.0.5.
UrlArgument = Annotated[str, Field(coerce_numbers_to_str=False)]
Since = Annotated[float | str | None, WithJsonSchema({"type": ["number", "string"], "description": "seconds ago"})]


def as_list(given: object) -> object:
    """One value in place of a list of one."""
    return [given] if isinstance(given, str | int | float) and not isinstance(given, bool) else given


def as_keys(given: object) -> object:
    """``Control + a`` is one key, ``ArrowDown Enter`` are two, and a space alone is the space bar."""
    if not isinstance(given, str):
        return given
    keys = _AROUND_PLUS.sub("+", given).split()
    return keys if keys and not given.startswith("+") else [given]


def one_or_list(given: Sequence[str]) -> str | list[str]:
    return given[0] if len(given) == 1 else list(given)


def parse_since(since: float | str | None, *, now: float) -> float:
    """Convert to seconds since the epoch: from seconds ago, an ISO time, or a time of day as the logs show it."""
    if since is None:
        return 0
    try:
        return now - float(since)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(str(since)).timestamp()
    except ValueError:
        pass
    try:
        today = datetime.fromtimestamp(now).astimezone()
        then = datetime.combine(today.date(), time_of_day.fromisoformat(str(since)), tzinfo=today.tzinfo)
    except ValueError:
        raise InvalidArgument(
            f"since = {str(since)[:80]!r} is not a time.",
            suggestions=["Give seconds (30), a time of day (14:05:30) or an ISO time (2026-01-31T14:05:30Z)."],
        ) from None
    # A time of day in the future means yesterday; a minute of tolerance allows for a client's clock that is ahead.
    return (then - timedelta(days=1) if then.timestamp() > now + 60 else then).timestamp()
