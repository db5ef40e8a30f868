"""CPU budget of a guest per request; past it, its process ends.

A thread polls the CPU time of the process every few milliseconds, so that waiting for the hub or for a busy machine
does not count. The guest's code is not instrumented for it: checks in every loop would cost a quarter of its speed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

POLL_SECONDS = 0.01


class CpuBudget:
    """``on_exceeded`` is called in the polling thread."""

    def __init__(self, on_exceeded: Callable[[], None], *, budget_seconds: float) -> None:
        self._on_exceeded = on_exceeded
        self._budget = budget_seconds
        self._since = time.process_time()
        threading.Thread(target=self._watch, daemon=True).start()

    def reset(self) -> None:
        """Start the budget of a new request."""
        self._since = time.process_time()

    def _watch(self) -> None:
        while time.process_time() - self._since <= self._budget:
            time.sleep(POLL_SECONDS)
        self._on_exceeded()
