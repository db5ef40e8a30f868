"""Counts what hostile tests try, for ``make redteam``; in other runs this does nothing.

A test that tries many things in one go calls ``count_attempts`` when all of them have held. A test that does not is one
attempt. ``rounds`` is how often a test with random input repeats: more for ``make redteam``, and as often as its
``ROUNDS=…`` says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

REPORT_VARIABLE = "REDTEAM_REPORT"
ROUNDS_VARIABLE = "ROUNDS"


def count_attempts(tried: int) -> None:
    """The running test has tried so many things, and all of them have held."""
    report = os.environ.get(REPORT_VARIABLE)
    if report:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        with Path(report).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"test": test, "tried": tried}) + "\n")


def rounds(default: int, redteam: int | None = None) -> int:
    """The number of rounds: ``redteam`` for ``make redteam``, or what its ``ROUNDS=…`` says; else ``default``."""
    if not os.environ.get(REPORT_VARIABLE):
        return default
    wanted = os.environ.get(ROUNDS_VARIABLE)
    return max(1, int(wanted)) if wanted else redteam or default
