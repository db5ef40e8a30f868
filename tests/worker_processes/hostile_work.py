"""Functions for worker processes in tests: they are imported there by name."""

from __future__ import annotations

import os
import re

from browser_pilot.errors import InvalidArgument

EXPLODING = "(a+)+$"
ENDLESS_TEXT = "a" * 60 + "!"


def process_id() -> int:
    return os.getpid()


def total(*numbers: int) -> int:
    return sum(numbers)


def refuse(text: str) -> None:
    raise InvalidArgument(text, suggestions=["do better"], metadata={"tool": "x"})


def match_for_ever() -> bool:
    """A match that takes longer than the universe, in one call that holds the interpreter's lock."""
    return re.search(EXPLODING, ENDLESS_TEXT) is not None


def end() -> None:
    os._exit(3)
