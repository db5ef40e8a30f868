"""Times as people write and read them: ``2h`` ago, ``14:30``, ``2026-11-16``. Pure: now is passed in."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from ..errors import InvalidArgument

UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
AGO = re.compile(r"(\d{1,6})\s*(s|min|m|h|d|w)", re.ASCII)


def parse_moment(text: str, now: datetime) -> datetime:
    """A time of day is that of today, a date its beginning; without a zone it is that of ``now``."""
    ago = AGO.fullmatch(text.strip())
    if ago:
        return now - timedelta(**{UNITS[ago[2]]: int(ago[1])})
    try:
        return datetime.combine(now.date(), time.fromisoformat(text), now.tzinfo)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument(
            f"{text!r} is no time.",
            suggestions=[
                "Give a span (30m, 2h, 7d), a time of today (14:30), a date (2026-11-16), or both (2026-11-16T14:30)."
            ],
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=now.tzinfo)


def in_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def clock_time(time_ms: object, *, year: bool = True) -> str:
    """As a person in this place reads it; empty for what is no time."""
    if not isinstance(time_ms, int | float):
        return ""
    return datetime.fromtimestamp(time_ms / 1000).astimezone().strftime(f"{'%Y-' if year else ''}%m-%d %H:%M:%S")


def duration(ms: object) -> str:
    if not isinstance(ms, int | float):
        return ""
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms / 60_000:.1f} min"
