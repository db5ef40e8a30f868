"""Watches one managed browser process: asks it every second for its processes and their CPU time.

A renderer that keeps a core busy gets a lower priority, so that other pages and the hub go first. If the browser does
not respond in time though it, or its driver, is computing all the time, a page has flooded it: the renderer that used
the most CPU time is killed, which its session reports as a crash of the page. If that does not help, the browser is
killed, and its sessions open another. A browser that computes little only waits for a busy machine and gets more time.
Lives as long as its browser process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import psutil
from playwright.async_api import Browser, CDPSession, Error

from browser_pilot.metrics.machine_load import load_factor

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 1.0
# A response that takes longer is slow: from then on, the CPU time of the processes is measured.
SLOW_SECONDS = 0.5
RESPONSE_TIMEOUT_SECONDS = 5.0
# The event loop itself may have been held up: a response that has arrived meanwhile counts.
GRACE_SECONDS = 0.5
# A renderer that used less CPU time than this meanwhile did not flood its browser: the machine is busy.
MIN_FLOOD_CPU_SECONDS = 1.0
# The share of a core that a flooded browser, or its driver, uses at least.
FLOODED_SHARE = 0.5
# Requests without a response, one after the other, before the browser itself is killed: flooded, and otherwise.
MAX_MISSES = 3
MAX_IDLE_MISSES = 10
# For the browser's end to be noticed, before its sessions are informed anyway.
END_TIMEOUT_SECONDS = 5.0
# The share of a core, in two samples in a row, that lowers the priority of a renderer.
BUSY_SHARE = 0.5
BUSY_SAMPLES = 2
LOW_PRIORITY = 10


@dataclass(frozen=True, slots=True)
class CpuReading:
    """The CPU seconds used until a point in time: by the browser's own process, its driver and each renderer."""

    at: float
    browser: float
    driver: float
    renderers: Mapping[int, float]


def is_flooded(before: CpuReading, after: CpuReading) -> bool:
    """Whether the browser or its driver computed most of the time, instead of waiting for a core."""
    used = max(after.browser - before.browser, after.driver - before.driver)
    return used >= FLOODED_SHARE * (after.at - before.at)


def worst_renderer(before: CpuReading, after: CpuReading) -> int | None:
    """The renderer that used the most CPU time in between; None if none used much."""
    used = {pid: seconds - before.renderers.get(pid, 0.0) for pid, seconds in after.renderers.items()}
    worst = max(used, key=lambda pid: used[pid], default=None)
    return worst if worst is not None and used[worst] >= MIN_FLOOD_CPU_SECONDS else None


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """The browser's own process id, and the CPU seconds of each renderer by process id."""

    browser: int | None
    renderers: Mapping[int, float]


def parse_sample(response: Mapping[str, Any]) -> ProcessSample:
    """From the response to ``SystemInfo.getProcessInfo``."""
    processes = cast("list[dict[str, Any]]", response["processInfo"])
    browser = next((int(one["id"]) for one in processes if one["type"] == "browser"), None)
    return ProcessSample(
        browser, {int(one["id"]): float(one["cpuTime"]) for one in processes if one["type"] == "renderer"}
    )


class BusyRenderers:
    """Which renderers kept a core busy in the last samples. Pure."""

    def __init__(self) -> None:
        self._last: dict[int, float] = {}
        self._busy: dict[int, int] = {}

    def add(self, cpu_seconds: Mapping[int, float], elapsed_seconds: float) -> list[int]:
        """The process ids of those that have been busy for ``BUSY_SAMPLES`` now; each is returned once."""
        found: list[int] = []
        for pid, seconds in cpu_seconds.items():
            share = (seconds - self._last.get(pid, seconds)) / elapsed_seconds
            self._busy[pid] = self._busy.get(pid, 0) + 1 if share >= BUSY_SHARE else 0
            if self._busy[pid] == BUSY_SAMPLES:
                found.append(pid)
        self._last = dict(cpu_seconds)
        self._busy = {pid: count for pid, count in self._busy.items() if pid in cpu_seconds}
        return found


class BrowserWatchdog:
    """``on_end``: the browser was killed. ``on_error``: the driver did not pass on a request: one of them has ended."""

    def __init__(self, browser: Browser, on_end: Callable[[], None], on_error: Callable[[], None]) -> None:
        self._browser = browser
        self._on_end = on_end
        self._on_error = on_error
        self._busy = BusyRenderers()
        self._sample = ProcessSample(None, {})
        self._misses = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._watch())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            session = await self._browser.new_browser_cdp_session()
            sampled_at = loop.time()
            while True:
                response = await self._respond(session)
                if isinstance(response, CpuReading):
                    if not await self._recover(response):
                        return
                else:
                    self._misses = 0
                    now = loop.time()
                    self._sample = parse_sample(response)
                    for pid in self._busy.add(self._sample.renderers, max(now - sampled_at, 0.001)):
                        logger.info("renderer %d keeps a core busy: its priority is lowered", pid)
                        _lower_priority(pid)
                    sampled_at = now
                await asyncio.sleep(INTERVAL_SECONDS)
        except Error:
            self._on_error()

    async def _respond(self, session: CDPSession) -> dict[str, Any] | CpuReading:
        """The browser's response. If there is none in time, the CPU times at the start of the wait."""
        sent = asyncio.create_task(_process_info(session))
        done, _ = await asyncio.wait({sent}, timeout=SLOW_SECONDS)
        if done:
            return await sent
        before = await asyncio.to_thread(read_cpu, self._sample.browser)
        for timeout in (RESPONSE_TIMEOUT_SECONDS, GRACE_SECONDS):
            done, _ = await asyncio.wait({sent}, timeout=timeout)
            if done:
                return await sent
        sent.add_done_callback(lambda task: task.cancelled() or task.exception())
        return before

    async def _recover(self, before: CpuReading) -> bool:
        """Kill what holds up the browser. False when the browser itself was killed."""
        self._misses += 1
        after = await asyncio.to_thread(read_cpu, self._sample.browser)
        flooded = is_flooded(before, after)
        if self._misses <= (MAX_MISSES if flooded else MAX_IDLE_MISSES * load_factor()):
            worst = worst_renderer(before, after)
            if flooded and worst is not None:
                logger.warning("the browser does not respond: renderer %d is killed", worst)
                _kill(worst)
            return True
        logger.warning("the browser does not respond: it is killed")
        if self._sample.browser is not None:
            _kill(self._sample.browser)
        await asyncio.sleep(END_TIMEOUT_SECONDS)
        self._on_end()
        return False


async def _process_info(session: CDPSession) -> dict[str, Any]:
    response = await session.send("SystemInfo.getProcessInfo")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return cast("dict[str, Any]", response)


def read_cpu(browser: int | None) -> CpuReading:
    """Read the CPU times of the processes from the system; of those that are gone, zero."""
    renderers: dict[int, float] = {}
    browser_seconds = driver_seconds = 0.0
    with suppress(psutil.Error):
        if browser is not None:
            process = psutil.Process(browser)
            browser_seconds = _cpu_seconds(process)
            parent = process.parent()
            driver_seconds = _cpu_seconds(parent) if parent is not None else 0.0
            for child in process.children(recursive=True):
                with suppress(psutil.Error):
                    if "--type=renderer" in child.cmdline():
                        renderers[child.pid] = _cpu_seconds(child)
    return CpuReading(time.monotonic(), browser_seconds, driver_seconds, renderers)


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def _lower_priority(pid: int) -> None:
    """On Linux, each thread has a priority of its own."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        threads = Path(f"/proc/{pid}/task")
        for thread in [int(entry.name) for entry in threads.iterdir()] if threads.is_dir() else [pid]:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, thread, LOW_PRIORITY)
