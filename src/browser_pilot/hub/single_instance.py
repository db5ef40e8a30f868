"""Ensures one hub per home, with a file lock."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from browser_pilot.errors import PilotError
from browser_pilot.file_lock import locked
from browser_pilot.hub_discovery.runtime_file import read_runtime


class HubRunning(PilotError):
    """Another hub holds the lock of this home."""

    code = "HUB_RUNNING"


@contextmanager
def single_instance(home: Path) -> Generator[None]:
    """Hold the home's lock. Raises ``HubRunning`` when another hub holds it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(home / "run" / "hub.lock"))
        except TimeoutError:
            other = read_runtime(home)
            where = f" (process {other.pid}, port {other.port})" if other else ""
            raise HubRunning(
                f"A hub already runs in this home{where}.",
                suggestions=["`browser-pilot status` shows it, `browser-pilot stop` stops it."],
            ) from None
        yield
