"""Sessions side by side: how fast one more starts, how many fit into a gigabyte, how much they do in a second.

``python -m bench.sessions [COUNT]``. Ours against Playwright MCP (a server and a browser for each session), Playwright
by itself (one browser, a context each) and the raw protocol (a browser each). Each session clicks a button of a small
page, all at once, for some seconds; ours and Playwright MCP say what became of the page, the other two do not.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from . import cache, competitors, machine, pages
from .competitors.raw_playwright import RawPlaywright
from .processes import Den
from .rpc import Answer
from .server import Site

COUNT = 8
SECONDS = 10.0
# Its name stays the same, so that what was found by it can be pressed again and again.
BUTTON = "Add one"


class Clicker(Protocol):
    def navigate(self, url: str) -> Answer: ...
    def snapshot(self) -> Answer: ...
    def handle_of(self, snapshot: str, role: str, name: str) -> str: ...
    def click(self, handle: str) -> Answer: ...
    def close(self) -> None: ...


class Contender(Protocol):
    @property
    def name(self) -> str: ...

    def start(self, den: Den) -> Clicker: ...


@dataclass(frozen=True)
class Figures:
    name: str
    start_ms: float
    per_gigabyte: float
    per_second: float
    p99_ms: float


def measure(competitor: Contender, site: Site, count: int) -> Figures:
    den = Den.create()
    try:
        url = site.url(pages.OWN, "tally.html")
        sessions: list[Clicker] = []
        starts: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            sessions.append(competitor.start(den))
            sessions[-1].navigate(url)
            starts.append((time.perf_counter() - began) * 1000)
        weight_mb = den.memory_mb()
        took = _work(sessions)
        for session in sessions:
            session.close()
    finally:
        den.end()
    took.sort()
    return Figures(
        name=competitor.name,
        start_ms=statistics.median(starts[1:]),
        per_gigabyte=count / (weight_mb / 1024),
        per_second=len(took) / SECONDS,
        p99_ms=took[int(len(took) * 0.99)],
    )


def _work(sessions: Sequence[Clicker]) -> list[float]:
    """Milliseconds of each click."""
    took: list[float] = []
    end = time.perf_counter() + SECONDS

    def click(session: Clicker) -> None:
        handle = session.handle_of(session.snapshot().text, "button", BUTTON)
        while (began := time.perf_counter()) < end:
            session.click(handle)
            took.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=click, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    cache.install_peers()
    site = Site.start(pages.fetch())
    chromium = machine.find_chromium()
    everyone = competitors.create(chromium)
    contenders: tuple[Contender, ...] = (
        everyone[competitors.OURS],
        everyone[competitors.LIMIT],
        RawPlaywright(chromium),
        everyone[competitors.PLAYWRIGHT],
    )
    print(f"{count} sessions: median start of one more, sessions per GB, clicks a second, p99")
    try:
        for contender in contenders:
            found = measure(contender, site, count)
            print(
                f"{found.name:<16} {found.start_ms:7.0f} ms {found.per_gigabyte:6.1f} {found.per_second:7.1f}/s "
                f"{found.p99_ms:7.0f} ms",
                flush=True,
            )
    finally:
        site.stop()


if __name__ == "__main__":
    main()
