"""The kinds of effect a call can have, and what the mode alone says about them. Pure."""

from __future__ import annotations

from typing import Literal

from ..errors import ReadOnly

Effect = Literal["read", "navigate", "write", "script", "download", "upload", "cookies", "capture"]
Mode = Literal["auto", "ask", "readonly"]

ALLOWED_READ_ONLY: frozenset[Effect] = frozenset({"read", "navigate", "capture"})


def check_mode(effect: Effect, mode: Mode) -> None:
    """Read-only mode lets an agent look and go places, and nothing else."""
    if mode == "readonly" and effect not in ALLOWED_READ_ONLY:
        raise ReadOnly(
            f"Read-only mode: actions that {effect} are switched off.",
            suggestions=["Only the user can change this: policy.mode in config.toml, or leave out --read-only."],
        )
