"""How the hub is, part by part, for `/health` and `/api/health`. Pure: who knows the parts fills them in.

`/health` needs no token, so that it says only which part has a problem; what the problem is, with its paths, is told at
`/api/health`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

State = Literal["ok", "off", "problem"]


@dataclass(frozen=True)
class Part:
    """``off`` is what is not in use, which is no problem."""

    name: str
    state: State
    says: str


def health_data(facts: Mapping[str, object], parts: Iterable[Part]) -> dict[str, object]:
    """Everything, for whoever has the token."""
    told = list(parts)
    status = "degraded" if any(part.state == "problem" for part in told) else "ok"
    return {
        "status": status,
        **facts,
        "parts": {part.name: {"state": part.state, "says": part.says} for part in told},
    }


def in_brief(health: Mapping[str, object]) -> dict[str, object]:
    """The same for anyone on this machine: of each part only its state."""
    parts = cast("dict[str, dict[str, str]]", health["parts"])
    return {**health, "parts": {name: part["state"] for name, part in parts.items()}}
