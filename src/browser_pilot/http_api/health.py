"""The health report of `/health` and `/api/health`: one check per part of the hub. Pure; the caller runs the checks.

`/health` needs no token, so it shows only the state of each part; `/api/health` adds the descriptions, which may
contain paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

HealthState = Literal["ok", "off", "problem"]


@dataclass(frozen=True)
class PartHealth:
    """The result of one check. ``off`` means not in use, which is not a problem."""

    name: str
    state: HealthState
    description: str


def health_report(facts: Mapping[str, object], parts: Iterable[PartHealth]) -> dict[str, object]:
    """The full report, for holders of the token."""
    checked = list(parts)
    status = "degraded" if any(part.state == "problem" for part in checked) else "ok"
    return {
        "status": status,
        **facts,
        "parts": {part.name: {"state": part.state, "says": part.description} for part in checked},
    }


def without_descriptions(health: Mapping[str, object]) -> dict[str, object]:
    """The public report: only the state of each part."""
    parts = cast("dict[str, dict[str, str]]", health["parts"])
    return {**health, "parts": {name: part["state"] for name, part in parts.items()}}
