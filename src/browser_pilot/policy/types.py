"""The closed sets of words that the policy is written in, and their order from lenient to strict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Verdict = Literal["allow", "ask", "deny"]
Mode = Literal["auto", "ask", "readonly"]
Risk = Literal["low", "medium", "high"]
Threshold = Literal["low", "medium", "high", "never"]
Engine = Literal["managed", "own"]
Stake = Literal["own", "managed", "loopback"]
Permission = Literal["read", "write"]
Effect = Literal["read", "navigate", "write", "script", "download", "upload", "cookies", "capture"]

VERDICTS: tuple[Verdict, ...] = ("allow", "ask", "deny")
MODES: tuple[Mode, ...] = ("auto", "ask", "readonly")
THRESHOLDS: tuple[Threshold, ...] = ("low", "medium", "high", "never")

# Cookies count as writing even when they are only read: whoever has them can act as the user.
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
# What uses up a budget: everything but looking.
STEPS: frozenset[Effect] = frozenset(PERMISSION_OF) - {"read", "capture"}
# What the mode speaks of: a download changes nothing on the site, but it does on this machine.
ACTS: frozenset[Effect] = STEPS - {"navigate"}


def strictest_mode(modes: Iterable[Mode]) -> Mode:
    return max(modes, key=MODES.index)


def reaches(risk: Risk, threshold: Threshold) -> bool:
    """Whether an action of this risk asks where asking starts from ``threshold``."""
    return THRESHOLDS.index(risk) >= THRESHOLDS.index(threshold)
