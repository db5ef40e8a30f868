"""One hub for each home: whoever holds its lock."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .errors import PilotError
from .locks import held
from .runtime import read_runtime


class HubRunning(PilotError):
    """Another hub has this home."""

    code = "HUB_RUNNING"


@contextmanager
def the_only_hub(home: Path) -> Generator[None]:
    """Raises ``HubRunning`` when another has the home."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(home / "run" / "hub.lock"))
        except TimeoutError:
            other = read_runtime(home)
            where = f" (process {other.pid}, port {other.port})" if other else ""
            raise HubRunning(
                f"A hub already runs in this home{where}.",
                suggestions=["`browser-pilot status` shows it, `browser-pilot stop` ends it."],
            ) from None
        yield
