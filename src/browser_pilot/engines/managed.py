"""Managed Chromium: browsers that we launch through Playwright, lazily, and end with the hub.

One process per set of launch options, shared by the sessions that want the same; each session has a context of its
own, with a way to the network of its own (``outlet``): the egress proxy, and nothing else. A browser that died is
forgotten, and the next ``open`` launches another. A user data directory means a persistent context, which Chromium
allows only once per directory, so its sessions share it, and the outlet of the first of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, ViewportSize, async_playwright

from ..egress import EgressProxy, Failure, Refusal, browser_arguments
from ..errors import BrowserUnavailable
from ..policy.hosts import Site
from ..policy.rules import Ruleset
from .arguments import launch_arguments
from .engine import ContextRequest
from .environment import browser_environment
from .finder import FoundBrowser, find_browser
from .outlet import Outlet
from .secret_urls import SecretUrlGuard

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

    def __init__(self, process: _Process, context: BrowserContext, outlet: Outlet) -> None:
        self._process = process
        self._context = context
        self._outlet = outlet
        self._blank = list(context.pages) if process.persistent is None else []
        process.users += 1
        process.lost_callbacks.append(outlet.close)

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

    def take_blank_page(self) -> Page | None:
        page = self._blank.pop() if self._blank else None
        return None if page is None or page.is_closed() else page

    def let_open(self, site: Site) -> None:
        self._outlet.let_open(site)

    def trouble(self, url: str) -> Refusal | Failure | None:
        return self._outlet.trouble(url)

    async def keep_out_of_urls(self, values: Iterable[str]) -> None:
        kept = list(values)
        self._outlet.keep_in(kept)
        await self._process.guard.guard(self._context, kept)

    async def close(self) -> None:
        self._process.users -= 1
        if self._process.persistent and self._process.users:
            return
        self._outlet.close()
        if self._process.alive:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(self._context.close(), CLOSE_SECONDS)


class _Process:
    """``persistent`` is the only context of a browser with a user data directory, and its way to the network."""

    def __init__(
        self, found: FoundBrowser, browser: Browser, persistent: tuple[BrowserContext, Outlet] | None = None
    ) -> None:
        self.found = found
        self.browser = browser
        self.persistent = persistent
        self.guard = SecretUrlGuard(browser)
        self.alive = True
        self.users = 0
        self.lost_callbacks: list[Callable[[], None]] = []
        if persistent is None:
            browser.on("disconnected", lambda _: self._lost())
        else:
            persistent[0].on("close", lambda _: self._lost())

    def _lost(self) -> None:
        self.alive = False
        callbacks, self.lost_callbacks = self.lost_callbacks, []
        for callback in callbacks:
            callback()

    async def new_context(self, request: ContextRequest, outlet: Outlet) -> ManagedContext:
        if self.persistent is not None:
            context, shared = self.persistent
            if request.domains != shared.within:
                raise BrowserUnavailable(
                    f"{request.user_data_dir} is in use by a session with other domains.",
                    suggestions=["Use the same domains, another folder, or none."],
                )
            return ManagedContext(self, context, shared)
        width, height = request.viewport
        viewport: ViewportSize = {"width": width, "height": height}
        context = await self.browser.new_context(viewport=viewport, proxy=outlet.settings)
        try:
            await outlet.connect(context)
        except BaseException:
            with suppress(Error):
                await context.close()
            raise
        return ManagedContext(self, context, outlet)

    async def close(self) -> None:
        with suppress(Error, TimeoutError):
            closing = self.browser.close() if self.persistent is None else self.persistent[0].close()
            await asyncio.wait_for(closing, CLOSE_SECONDS)


class ManagedEngine:
    """Owns the Playwright driver and the browsers launched by it; the proxy is its user's to close.

    ``guards_secrets`` says whether there are secrets that could be typed: see ``secret_urls``.
    """

    def __init__(self, proxy: EgressProxy, *, guards_secrets: Callable[[], bool] = lambda: False) -> None:
        self._proxy = proxy
        self._guards_secrets = guards_secrets
        # As it was: the hub moves TMPDIR into its home later, for the profiles that Playwright makes there.
        self._environ = dict(os.environ)
        self._driver: Playwright | None = None
        self._driver_lock = asyncio.Lock()
        self._processes: dict[_LaunchKey, _Process] = {}
        self._launching: dict[_LaunchKey, asyncio.Lock] = {}

    async def warm(self) -> None:
        """Start the driver ahead of the first call: it takes most of a second."""
        await self.driver()

    async def open(self, request: ContextRequest, rules: Callable[[], Ruleset]) -> ManagedContext:
        """A context in a running browser, launched now if there is none."""
        await self._ensure_proxy()
        outlet = Outlet(self._proxy, rules, request.domains)
        process = await self._process(request, outlet)
        try:
            return await process.new_context(request, outlet)
        except (Error, BrowserUnavailable):
            if process.alive:
                raise
        # The browser died between the look and the use; one fresh launch is worth it, for nothing was done yet.
        return await (await self._process(request, outlet)).new_context(request, outlet)

    def facts(self) -> list[BrowserFacts]:
        return [
            BrowserFacts(process.found.kind, str(process.found.executable), process.browser.version, process.users)
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

    async def _ensure_proxy(self) -> None:
        try:
            if await self._proxy.keep_listening():
                logger.info("the egress proxy listens at port %d", self._proxy.port)
        except OSError as error:
            raise BrowserUnavailable(
                f"Browser Pilot's own proxy cannot listen at port {self._proxy.port}: {error.strerror}. "
                "Browsers reach the network only through it.",
                suggestions=["End the program that has the port, or restart the hub: `browser-pilot stop`."],
            ) from None

    async def _process(self, request: ContextRequest, outlet: Outlet) -> _Process:
        key = _LaunchKey(request.executable, request.headless, request.args, request.user_data_dir)
        async with self._launching.setdefault(key, asyncio.Lock()):
            process = self._processes.get(key)
            if process is None or not process.alive:
                process = self._processes[key] = await self._launch(request, outlet)
            if self._guards_secrets():
                await process.guard.switch_on()
            return process

    async def _launch(self, request: ContextRequest, outlet: Outlet) -> _Process:
        found = find_browser(request.executable)
        is_root = os.name == "posix" and os.geteuid() == 0
        if is_root:
            logger.warning("Running as root: Chromium's own sandbox is off (--no-sandbox). Prefer a normal user.")
        egress = browser_arguments(self._proxy.port)
        arguments = launch_arguments(request.args, sandbox=not is_root, egress=egress)
        try:
            return await self._start(found, request, arguments, outlet)
        except Error as error:
            if self._driver_is_gone(error):
                self._driver = None
                return await self._start(found, request, arguments, outlet)
            raise _explain_launch(found, request, error) from error

    async def _start(
        self, found: FoundBrowser, request: ContextRequest, arguments: list[str], outlet: Outlet
    ) -> _Process:
        chromium = (await self.driver()).chromium
        environment = browser_environment(self._environ)
        if request.user_data_dir is None:
            browser = await chromium.launch(
                executable_path=found.executable,
                headless=request.headless,
                args=arguments,
                timeout=request.launch_timeout_ms,
                env=environment,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            return _Process(found, browser)
        width, height = request.viewport
        context = await chromium.launch_persistent_context(
            Path(request.user_data_dir),
            executable_path=found.executable,
            headless=request.headless,
            args=arguments,
            timeout=request.launch_timeout_ms,
            env=environment,
            viewport={"width": width, "height": height},
            proxy=outlet.settings,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        if context.browser is None:
            raise TypeError("a persistent context that was launched has a browser")
        try:
            await outlet.connect(context)
        except BaseException:
            with suppress(Error):
                await context.close()
            raise
        return _Process(found, context.browser, (context, outlet))

    async def driver(self) -> Playwright:
        """Playwright's driver, started now if need be; other engines share it."""
        async with self._driver_lock:
            if self._driver is None:
                with _lean_node():
                    self._driver = await async_playwright().start()
            return self._driver

    @staticmethod
    def _driver_is_gone(error: Error) -> bool:
        return "Connection closed" in error.message


@contextmanager
def _lean_node() -> Generator[None]:
    """Inside, Node starts with a small young generation and one heap: for short messages, 30 MB less and no slower."""
    chosen = os.environ.get("NODE_OPTIONS", "")
    lean = {"NODE_OPTIONS": f"--max-semi-space-size=1 {chosen}".strip(), "MALLOC_ARENA_MAX": "1"}
    before = {name: os.environ.get(name) for name in lean}
    os.environ.update(lean)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _explain_launch(found: FoundBrowser, request: ContextRequest, error: Error) -> BrowserUnavailable:
    first_line = error.message.strip().splitlines()[0] if error.message.strip() else "no reason given"
    suggestions = ["`browser-pilot doctor` checks the browser."]
    if not request.headless and "display" in error.message.lower():
        suggestions.insert(0, "A window needs a display: leave out --headed, or run under Xvfb.")
    if request.user_data_dir is not None and "ProcessSingleton" in error.message:
        suggestions.insert(0, f"Another browser uses {request.user_data_dir}: close it or choose another folder.")
    return BrowserUnavailable(f"{found.executable} could not be started: {first_line}", suggestions=suggestions)
