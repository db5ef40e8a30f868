"""Schemas that pass every bound of the manifest and still cost minutes: their work multiplies with the arguments."""

from __future__ import annotations

from typing import Any

NUMBERS = list(range(3_000))


def multiplying_schema(seed: int = 0) -> dict[str, Any]:
    """64 times ``contains`` with 12 alternatives: for 3,000 numbers more than two million comparisons."""
    alternatives = [{"const": f"x{seed}-{n}"} for n in range(12)]
    return {
        "type": "object",
        "properties": {"rows": {"type": "array", "allOf": [{"contains": {"anyOf": alternatives}}] * 64}},
    }


def nested_any_of(levels: int = 5) -> dict[str, Any]:
    """Every level tries two alternatives, and none matches."""
    node: dict[str, Any] = {"const": "never"}
    for _ in range(levels - 1):
        node = {"anyOf": [node, {"allOf": [{"not": {}}]}]}
    rows = {"type": "array", "items": {"anyOf": [node] * 40}}
    return {"type": "object", "properties": {"rows": rows}}
