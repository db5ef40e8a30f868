"""Managed Chromium: browsers that we launch through Playwright, lazily, and end with the hub.

One process per set of launch options, shared by the sessions that want the same; each session has a context of its
own. A browser that died is forgotten, and the next ``open`` launches another. A user data directory means a
persistent context, which Chromium allows only once per directory, so its sessions share it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright

from ..errors import BrowserUnavailable
from .arguments import launch_arguments
from .engine import ContextRequest
from .finder import FoundBrowser, find_browser

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class BrowserFacts:
    """What ``status`` and ``health`` tell about a running browser."""

    kind: str
    executable: str
    version: str
    contexts: int


@dataclass(frozen=True)
class _LaunchKey:
    executable: str | None
    headless: bool
    args: tuple[str, ...]
    user_data_dir: str | None


class ManagedContext:
    """One session's context; for a persistent profile, its share of the only one."""

    def __init__(self, process: _Process, context: BrowserContext) -> None:
        self._process = process
        self._context = context
        process.users += 1

    @property
    def context(self) -> BrowserContext:
        return self._context

    @property
    def alive(self) -> bool:
        return self._process.alive

    @property
    def exclusive(self) -> bool:
        return False

    def check(self) -> None:
        """Nobody halts a managed browser."""

    def on_lost(self, callback: Callable[[], None]) -> None:
        self._process.lost_callbacks.append(callback)

    async def settle(self) -> None:
        # A dying browser reports its pages closed first; the answer to any question comes after its own end.
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._context.cookies("http://localhost/"), CLOSE_SECONDS)

    async def close(self) -> None:
        self._process.users -= 1
        if self._process.alive and not (self._process.persistent and self._process.users):
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(self._context.close(), CLOSE_SECONDS)


class _Process:
    def __init__(self, found: FoundBrowser, browser: Browser | None, persistent: BrowserContext | None) -> None:
        self.found = found
        self.browser = browser
        self.persistent = persistent
        self.alive = True
        self.users = 0
        self.lost_callbacks: list[Callable[[], None]] = []
        if browser is not None:
            browser.on("disconnected", lambda _: self._lost())
        elif persistent is not None:
            persistent.on("close", lambda _: self._lost())

    def _lost(self) -> None:
        self.alive = False
        callbacks, self.lost_callbacks = self.lost_callbacks, []
        for callback in callbacks:
            callback()

    @property
    def version(self) -> str:
        if self.browser is not None:
            return self.browser.version
        owner = self.persistent.browser if self.persistent else None
        return owner.version if owner else "unknown"

    async def new_context(self, request: ContextRequest) -> ManagedContext:
        if self.persistent is not None:
            return ManagedContext(self, self.persistent)
        if self.browser is None:
            raise TypeError("a process has a browser or a persistent context")
        width, height = request.viewport
        return ManagedContext(self, await self.browser.new_context(viewport={"width": width, "height": height}))

    async def close(self) -> None:
        with suppress(Error, TimeoutError):
            if self.browser is not None:
                await asyncio.wait_for(self.browser.close(), CLOSE_SECONDS)
            elif self.persistent is not None:
                await asyncio.wait_for(self.persistent.close(), CLOSE_SECONDS)


class ManagedEngine:
    """Owns the Playwright driver and the browsers launched by it."""

    def __init__(self) -> None:
        # The hub moves TMPDIR into its home for the profiles that Playwright makes there. Chromium itself must not
        # follow: it puts a Unix socket into it, whose path may be too long.
        self._browser_environment: dict[str, str | float | bool] = dict(os.environ)
        self._driver: Playwright | None = None
        self._driver_lock = asyncio.Lock()
        self._processes: dict[_LaunchKey, _Process] = {}
        self._launching: dict[_LaunchKey, asyncio.Lock] = {}

    async def warm(self) -> None:
        """Start the driver ahead of the first call: it takes most of a second."""
        await self.driver()

    async def open(self, request: ContextRequest) -> ManagedContext:
        """A context in a running browser, launched now if there is none."""
        process = await self._process(request)
        try:
            return await process.new_context(request)
        except Error:
            if process.alive:
                raise
        # The browser died between the look and the use; one fresh launch is worth it, for nothing was done yet.
        return await (await self._process(request)).new_context(request)

    def facts(self) -> list[BrowserFacts]:
        return [
            BrowserFacts(process.found.kind, str(process.found.executable), process.version, process.users)
            for process in self._processes.values()
            if process.alive
        ]

    async def close(self) -> None:
        processes, self._processes = list(self._processes.values()), {}
        await asyncio.gather(*(process.close() for process in processes if process.alive))
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(driver.stop(), CLOSE_SECONDS)

    async def _process(self, request: ContextRequest) -> _Process:
        key = _LaunchKey(request.executable, request.headless, request.args, request.user_data_dir)
        async with self._launching.setdefault(key, asyncio.Lock()):
            process = self._processes.get(key)
            if process is None or not process.alive:
                process = self._processes[key] = await self._launch(request)
            return process

    async def _launch(self, request: ContextRequest) -> _Process:
        found = find_browser(request.executable)
        is_root = os.name == "posix" and os.geteuid() == 0
        if is_root:
            logger.warning("Running as root: Chromium's own sandbox is off (--no-sandbox). Prefer a normal user.")
        arguments = launch_arguments(request.args, sandbox=not is_root)
        try:
            return await self._start(found, request, arguments)
        except Error as error:
            if self._driver_is_gone(error):
                self._driver = None
                return await self._start(found, request, arguments)
            raise _explain_launch(found, request, error) from error

    async def _start(self, found: FoundBrowser, request: ContextRequest, arguments: list[str]) -> _Process:
        chromium = (await self.driver()).chromium
        if request.user_data_dir is None:
            browser = await chromium.launch(
                executable_path=found.executable,
                headless=request.headless,
                args=arguments,
                timeout=request.launch_timeout_ms,
                env=self._browser_environment,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            return _Process(found, browser, None)
        width, height = request.viewport
        context = await chromium.launch_persistent_context(
            Path(request.user_data_dir),
            executable_path=found.executable,
            headless=request.headless,
            args=arguments,
            timeout=request.launch_timeout_ms,
            env=self._browser_environment,
            viewport={"width": width, "height": height},
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        return _Process(found, None, context)

    async def driver(self) -> Playwright:
        """Playwright's driver, started now if need be; other engines share it."""
        async with self._driver_lock:
            if self._driver is None:
                self._driver = await async_playwright().start()
            return self._driver

    @staticmethod
    def _driver_is_gone(error: Error) -> bool:
        return "Connection closed" in error.message


def _explain_launch(found: FoundBrowser, request: ContextRequest, error: Error) -> BrowserUnavailable:
    first_line = error.message.strip().splitlines()[0] if error.message.strip() else "no reason given"
    suggestions = ["`browser-pilot doctor` checks the browser."]
    if not request.headless and "display" in error.message.lower():
        suggestions.insert(0, "A window needs a display: leave out --headed, or run under Xvfb.")
    if request.user_data_dir is not None and "ProcessSingleton" in error.message:
        suggestions.insert(0, f"Another browser uses {request.user_data_dir}: close it or choose another folder.")
    return BrowserUnavailable(f"{found.executable} could not be started: {first_line}", suggestions=suggestions)
