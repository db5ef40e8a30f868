"""How much memory the hub and everything that it started use, browsers above all."""

from __future__ import annotations

import psutil


def process_tree_bytes() -> int:
    """Memory of this process and all below it; what they share counts once where the system can tell (Linux)."""
    own = psutil.Process()
    return sum(map(_bytes, (own, *own.children(recursive=True))))


def _bytes(process: psutil.Process) -> int:
    try:
        pss: object = getattr(process.memory_full_info(), "pss", None)
        return pss if isinstance(pss, int) else process.memory_info().rss
    except psutil.Error:
        return 0
