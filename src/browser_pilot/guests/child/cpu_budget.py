"""CPU budget of a guest per request; past it, wasmtime interrupts the guest.

A thread polls the CPU time of the process every few milliseconds, so that waiting for the hub or for a busy machine
does not count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

POLL_SECONDS = 0.01


class CpuBudget:
    def __init__(self, interrupt: Callable[[], None], *, budget_seconds: float) -> None:
        self._interrupt = interrupt
        self._budget = budget_seconds
        self._since = time.process_time()
        self.exceeded = False
        threading.Thread(target=self._watch, daemon=True).start()

    def reset(self) -> None:
        """Start the budget of a new request."""
        self._since = time.process_time()

    def _watch(self) -> None:
        while True:
            time.sleep(POLL_SECONDS)
            if time.process_time() - self._since > self._budget:
                self.exceeded = True
                self._interrupt()
