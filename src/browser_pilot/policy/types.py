"""The closed sets of values that the policy uses, and their order from lenient to strict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Verdict = Literal["allow", "ask", "deny"]
Mode = Literal["auto", "ask", "readonly"]
Risk = Literal["low", "medium", "high"]
Threshold = Literal["low", "medium", "high", "never"]
EngineKind = Literal["managed", "own"]
ThresholdScope = Literal["own", "managed", "loopback"]
Permission = Literal["read", "write"]
Effect = Literal["read", "navigate", "write", "script", "download", "upload", "cookies", "capture"]

VERDICTS: tuple[Verdict, ...] = ("allow", "ask", "deny")
MODES: tuple[Mode, ...] = ("auto", "ask", "readonly")
THRESHOLDS: tuple[Threshold, ...] = ("low", "medium", "high", "never")

# Reading cookies counts as writing: with them, anyone can act as the user.
PERMISSION_OF: dict[Effect, Permission] = {
    "read": "read",
    "capture": "read",
    "navigate": "read",
    "download": "read",
    "write": "write",
    "script": "write",
    "upload": "write",
    "cookies": "write",
}
# Effects that use up a step budget: all except reading.
BUDGETED_EFFECTS: frozenset[Effect] = frozenset(PERMISSION_OF) - {"read", "capture"}
# Effects that the mode restricts: a download changes nothing on the site, but it does on this machine.
MUTATING_EFFECTS: frozenset[Effect] = BUDGETED_EFFECTS - {"navigate"}


def strictest_mode(modes: Iterable[Mode]) -> Mode:
    return max(modes, key=MODES.index)


def reaches_threshold(risk: Risk, threshold: Threshold) -> bool:
    """Whether an action of this risk requires approval at this threshold."""
    return THRESHOLDS.index(risk) >= THRESHOLDS.index(threshold)
