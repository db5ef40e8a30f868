"""How long a guest has been computing since its last request; past the budget, wasmtime interrupts it.

A thread looks every few milliseconds at the processor time of the process, so that neither waiting for the hub nor
for a busy machine counts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

TICK_SECONDS = 0.01


class Meter:
    def __init__(self, interrupt: Callable[[], None], *, budget_seconds: float) -> None:
        self._interrupt = interrupt
        self._budget = budget_seconds
        self._since = time.process_time()
        self.exceeded = False
        threading.Thread(target=self._watch, daemon=True).start()

    def renew(self) -> None:
        """A new request has come."""
        self._since = time.process_time()

    def _watch(self) -> None:
        while True:
            time.sleep(TICK_SECONDS)
            if time.process_time() - self._since > self._budget:
                self.exceeded = True
                self._interrupt()
