"""Managed Chromium: browsers that we launch through Playwright, when needed or just before, and end with the hub.

Sessions that want the same launch options share a process, so many to one and no more: what kills a browser reaches
only those. A browser that died is forgotten, and the next ``open`` launches another; one that nobody has used for a
while is ended. A user data directory means a persistent context, which Chromium allows only once per directory, so its
sessions share it, and the outlet of the first of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from playwright.async_api import Error, Playwright, async_playwright

from ..egress import EgressProxy, browser_arguments
from ..errors import BrowserUnavailable
from ..policy.rules import Ruleset
from .arguments import launch_arguments
from .context import CLOSE_SECONDS
from .engine import ContextRequest, Look, StorageState
from .environment import browser_environment
from .finder import FoundBrowser, find_browser
from .outlet import Outlet
from .presentation import Presentation, presentation
from .process import BrowserProcess, ManagedContext

logger = logging.getLogger(__name__)

# The session that took the last one has its own first page to load.
SPARE_DELAY_SECONDS = 1.0
# With so many sessions in a browser the next one can wait 80 ms for its page: one that is kept ready costs 22 MB.
SESSIONS_WITHOUT_SPARE = 5


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


class ManagedEngine:
    """Owns the Playwright driver and the browsers launched by it; the proxy is its user's to close.

    ``guards_secrets`` says whether there are secrets that could be typed: see ``secret_urls``. ``spare_viewport`` is
    the size of a context that is kept ready for the next session; None for none. ``code_cache`` is a private folder for
    what the driver has compiled of itself.
    """

    def __init__(
        self,
        proxy: EgressProxy,
        *,
        guards_secrets: Callable[[], bool] = lambda: False,
        spare_viewport: tuple[int, int] | None = None,
        code_cache: Path | None = None,
    ) -> None:
        self._proxy = proxy
        self._code_cache = code_cache
        self._guards_secrets = guards_secrets
        self._spare_viewport = spare_viewport
        # As it was: the hub moves TMPDIR into its home later, for the profiles that Playwright makes there.
        self._environ = dict(os.environ)
        self._driver: Playwright | None = None
        self._driver_lock = asyncio.Lock()
        self._processes: dict[_LaunchKey, list[BrowserProcess]] = {}
        self._launching: dict[_LaunchKey, asyncio.Lock] = {}

    async def warm(self) -> None:
        """Start the driver ahead of the first call: it takes most of a second."""
        await self.driver()

    async def prepare(self, request: ContextRequest) -> None:
        """Have a browser ready, and a context in it, for a session that asks for this, unless one runs already."""
        await self._ensure_proxy()
        options = await self._options(request)
        async with self._launching.setdefault(_key(request), asyncio.Lock()):
            if self._running():
                return
            process = await self._launch(request, Outlet(self._proxy, Ruleset, request.domains), options)
            self._processes[_key(request)] = [process]
        await self._keep_spare(process, request, delay_seconds=0)

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> ManagedContext:
        """A context in a running browser, launched now if there is none."""
        await self._ensure_proxy()
        options = await self._options(request)
        outlet = Outlet(self._proxy, rules, request.domains, parent_proxy=request.parent_proxy)
        process = await self._process(request, outlet, options)
        try:
            if self._is_plain(request) and state is None:
                spare = await process.take_spare()
                if spare is not None and spare.alive:
                    return spare.belongs_to(rules)
            return await process.new_context(request, outlet, options, state)
        except (Error, BrowserUnavailable):
            process.leave()
            if process.alive:
                raise
        except BaseException:
            process.leave()
            raise
        finally:
            await self._keep_spare(process, request)
        # The browser died between the look and the use; one fresh launch is worth it, for nothing was done yet.
        process = await self._process(request, outlet, options)
        try:
            return await process.new_context(request, outlet, options, state)
        except BaseException:
            process.leave()
            raise

    def facts(self) -> list[BrowserFacts]:
        return [
            BrowserFacts(process.found.kind, str(process.found.executable), process.browser.version, process.users)
            for process in self._running()
        ]

    async def end_unused(self, idle_seconds: float) -> None:
        """End browsers that no session has used for that long."""
        now = time.monotonic()
        for processes in self._processes.values():
            for process in [one for one in processes if not one.users and now - one.unused_since > idle_seconds]:
                processes.remove(process)
                await process.close()

    async def close(self) -> None:
        processes, self._processes = self._running(), {}
        await asyncio.gather(*(process.close() for process in processes))
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(driver.stop(), CLOSE_SECONDS)

    def _running(self) -> list[BrowserProcess]:
        return [process for processes in self._processes.values() for process in processes if process.alive]

    async def _options(self, request: ContextRequest) -> Presentation:
        driver = await self.driver()
        return presentation(request, cast("dict[str, dict[str, object]]", driver.devices))  # pyright: ignore[reportUnknownMemberType]

    def _is_plain(self, request: ContextRequest) -> bool:
        """Whether any context of its browser would do."""
        wished = (request.domains, request.look, request.parent_proxy, request.user_data_dir)
        return wished == (None, Look(), None, None) and request.viewport == self._spare_viewport

    async def _keep_spare(
        self, process: BrowserProcess, request: ContextRequest, *, delay_seconds: float = SPARE_DELAY_SECONDS
    ) -> None:
        if self._spare_viewport is None or not self._is_plain(request):
            return
        options = await self._options(request)
        outlet = Outlet(self._proxy, Ruleset, None)
        process.keep_spare(
            lambda: process.new_context(request, outlet, options, None),
            most_users=min(request.per_browser, SESSIONS_WITHOUT_SPARE),
            delay_seconds=delay_seconds,
        )

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

    async def _process(self, request: ContextRequest, outlet: Outlet, options: Presentation) -> BrowserProcess:
        """A browser with room for one more, who is counted already."""
        key = _key(request)
        async with self._launching.setdefault(key, asyncio.Lock()):
            running = [process for process in self._processes.get(key, ()) if process.alive]
            process = next((one for one in running if one.persistent or one.users < request.per_browser), None)
            if process is None:
                process = await self._launch(request, outlet, options)
                running.append(process)
            self._processes[key] = running
            process.enter()
            if self._guards_secrets():
                await process.guard.switch_on()
            return process

    async def _launch(self, request: ContextRequest, outlet: Outlet, options: Presentation) -> BrowserProcess:
        found = find_browser(request.executable)
        is_root = os.name == "posix" and os.geteuid() == 0
        if is_root:
            logger.warning("Running as root: Chromium's own sandbox is off (--no-sandbox). Prefer a normal user.")
        egress = browser_arguments(self._proxy.port)
        arguments = launch_arguments(request.args, sandbox=not is_root, egress=egress)
        try:
            return await self._start(found, request, arguments, outlet, options)
        except Error as error:
            if self._driver_is_gone(error):
                self._driver = None
                return await self._start(found, request, arguments, outlet, options)
            raise _explain_launch(found, request, error) from error

    async def _start(
        self,
        found: FoundBrowser,
        request: ContextRequest,
        arguments: list[str],
        outlet: Outlet,
        options: Presentation,
    ) -> BrowserProcess:
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
            return BrowserProcess(found, browser)
        context = await chromium.launch_persistent_context(
            Path(request.user_data_dir),
            executable_path=found.executable,
            headless=request.headless,
            args=arguments,
            timeout=request.launch_timeout_ms,
            env=environment,
            **options,
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
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(context.close(), CLOSE_SECONDS)
            raise
        return BrowserProcess(found, context.browser, (context, outlet))

    async def driver(self) -> Playwright:
        """Playwright's driver, started now if need be; other engines share it."""
        async with self._driver_lock:
            if self._driver is None:
                with _lean_node(self._code_cache):
                    self._driver = await async_playwright().start()
            return self._driver

    @staticmethod
    def _driver_is_gone(error: Error) -> bool:
        return "Connection closed" in error.message


def _key(request: ContextRequest) -> _LaunchKey:
    return _LaunchKey(request.executable, request.headless, request.args, request.user_data_dir)


@contextmanager
def _lean_node(code_cache: Path | None) -> Generator[None]:
    """Inside, Node starts with a small young generation and one heap: for short messages, 30 MB less and no slower.
    What it compiled the last time it finds in the cache: 10 MB less, and half the time to start.
    """
    chosen = os.environ.get("NODE_OPTIONS", "")
    lean = {
        "NODE_OPTIONS": f"--max-semi-space-size=1 {chosen}".strip(),
        "MALLOC_ARENA_MAX": "1",
        **({} if code_cache is None else {"NODE_COMPILE_CACHE": os.environ.get("NODE_COMPILE_CACHE", str(code_cache))}),
    }
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
