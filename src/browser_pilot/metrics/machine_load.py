"""How busy the machine is, for deadlines that decide whether something hangs: on a busy machine it may only wait."""

from __future__ import annotations

import psutil


def load_factor() -> float:
    """How many times longer than on an idle machine things may take: the load per core, at least 1."""
    return max(1.0, psutil.getloadavg()[0] / (psutil.cpu_count() or 1))
