"""Memory use of the hub and its child processes, above all the browsers."""

from __future__ import annotations

from collections.abc import Iterable

import psutil


def process_tree_bytes() -> int:
    """Memory of this process and its descendants; shared memory counts once where the system reports PSS (Linux)."""
    own = psutil.Process()
    return sum(map(_bytes, (own, *own.children(recursive=True))))


def browsers_bytes(*, exact_above: int = 0) -> int:
    """Memory of the browsers below this process. PSS is slow: it is read only when RSS exceeds ``exact_above``."""
    browsers = list(_browsers(psutil.Process().children(recursive=True)))
    at_most = sum(map(_resident_bytes, browsers))
    return at_most if at_most <= exact_above else sum(map(_bytes, browsers))


def _browsers(processes: Iterable[psutil.Process]) -> Iterable[psutil.Process]:
    for process in processes:
        try:
            command = process.cmdline()
        except psutil.Error:
            continue
        if any(part.startswith(("--type=", "--user-data-dir=")) for part in command):
            yield process


def _resident_bytes(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0


def _bytes(process: psutil.Process) -> int:
    try:
        pss: object = getattr(process.memory_full_info(), "pss", None)
        return pss if isinstance(pss, int) else process.memory_info().rss
    except psutil.Error:
        return 0
