"""Measures concurrent sessions: start time of one more, sessions per gigabyte, clicks per second.

``python -m bench.sessions [COUNT]``. Compares Browser Pilot with Playwright MCP (a server and a browser per session),
raw Playwright (one browser, a context per session) and raw CDP (a browser per session). All sessions click a button of
a small page for some seconds; the first two return the new state of the page, the other two do not.
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
from .rpc import TimedResult
from .server import Site
from .workspace import Workspace

COUNT = 8
SECONDS = 10.0
# The name of this button never changes, so its ref stays valid.
BUTTON = "Add one"


class ClickSession(Protocol):
    def navigate(self, url: str) -> TimedResult: ...
    def snapshot(self) -> TimedResult: ...
    def find_ref(self, snapshot: str, role: str, name: str) -> str: ...
    def click(self, ref: str) -> TimedResult: ...
    def close(self) -> None: ...


class SessionCompetitor(Protocol):
    @property
    def name(self) -> str: ...

    def start(self, workspace: Workspace) -> ClickSession: ...


@dataclass(frozen=True)
class Figures:
    name: str
    start_ms: float
    per_gigabyte: float
    per_second: float
    p99_ms: float


def measure(competitor: SessionCompetitor, site: Site, count: int) -> Figures:
    workspace = Workspace.create()
    try:
        url = site.url(pages.OWN, "tally.html")
        sessions: list[ClickSession] = []
        starts: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            sessions.append(competitor.start(workspace))
            sessions[-1].navigate(url)
            starts.append((time.perf_counter() - began) * 1000)
        memory_mb = workspace.memory_mb()
        click_ms = _click_concurrently(sessions)
        for session in sessions:
            session.close()
    finally:
        workspace.close()
    click_ms.sort()
    return Figures(
        name=competitor.name,
        start_ms=statistics.median(starts[1:]),
        per_gigabyte=count / (memory_mb / 1024),
        per_second=len(click_ms) / SECONDS,
        p99_ms=click_ms[int(len(click_ms) * 0.99)],
    )


def _click_concurrently(sessions: Sequence[ClickSession]) -> list[float]:
    """Returns the milliseconds of each click."""
    click_ms: list[float] = []
    end = time.perf_counter() + SECONDS

    def click(session: ClickSession) -> None:
        ref = session.find_ref(session.snapshot().text, "button", BUTTON)
        while (began := time.perf_counter()) < end:
            session.click(ref)
            click_ms.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=click, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return click_ms


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    cache.install_peers()
    site = Site.start(pages.fetch())
    chromium = machine.find_chromium()
    all_competitors = competitors.create(chromium)
    selected: tuple[SessionCompetitor, ...] = (
        all_competitors[competitors.OURS],
        all_competitors[competitors.BASELINE],
        RawPlaywright(chromium),
        all_competitors[competitors.PLAYWRIGHT],
    )
    print(f"{count} sessions: median start of one more, sessions per GB, clicks a second, p99")
    try:
        for competitor in selected:
            found = measure(competitor, site, count)
            print(
                f"{found.name:<16} {found.start_ms:7.0f} ms {found.per_gigabyte:6.1f} {found.per_second:7.1f}/s "
                f"{found.p99_ms:7.0f} ms",
                flush=True,
            )
    finally:
        site.stop()


if __name__ == "__main__":
    main()
