"""Parses and formats times: ``2h`` (ago), ``14:30``, ``2026-11-16``. Pure: ``now`` is passed in."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from browser_pilot.errors import InvalidArgument

UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
AGO = re.compile(r"(\d{1,6})\s*(s|min|m|h|d|w)", re.ASCII)


def parse_time(text: str, now: datetime) -> datetime:
    """A time of day means today, a date its start; without a time zone that of ``now`` is used."""
    ago = AGO.fullmatch(text.strip())
    if ago:
        return now - timedelta(**{UNITS[ago[2]]: int(ago[1])})
    try:
        return datetime.combine(now.date(), time.fromisoformat(text), now.tzinfo)
    except ValueError:
        pass
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument(
            f"{text!r} is not a time.",
            suggestions=[
                "Give a duration (30m, 2h, 7d), a time today (14:30), a date (2026-11-16), or both (2026-11-16T14:30)."
            ],
        ) from None
    return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=now.tzinfo)


def to_epoch_ms(parsed: datetime) -> int:
    return round(parsed.timestamp() * 1000)


def format_time(time_ms: object, *, year: bool = True) -> str:
    """In the local time zone; empty for anything but a number."""
    if not isinstance(time_ms, int | float):
        return ""
    return datetime.fromtimestamp(time_ms / 1000).astimezone().strftime(f"{'%Y-' if year else ''}%m-%d %H:%M:%S")


def format_duration(ms: object) -> str:
    if not isinstance(ms, int | float):
        return ""
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms / 60_000:.1f} min"
