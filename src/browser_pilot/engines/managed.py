"""Managed Chromium: launched through Playwright on demand or ahead of it, closed with the hub.

Sessions with equal launch options share a process, up to ``per_browser``, which limits the damage of a crash. A browser
that died is dropped, and the next ``open`` launches another; an idle one is closed. A user data directory means a
persistent context. Chromium allows one per directory, so its sessions share it and the first one's ``ProxySession``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from playwright.async_api import Error, Playwright, async_playwright

from browser_pilot.egress import EgressProxy, browser_arguments
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.policy.rules import Ruleset
from browser_pilot.upstream_errors import NO_DISPLAY, NO_SANDBOX, PROFILE_IN_USE, first_line, is_driver_failure

from .agent_context import CLOSE_TIMEOUT_SECONDS
from .browser_finder import FoundBrowser, find_browser
from .browser_process import BrowserProcess, ManagedContext
from .context_options import ContextOptions, context_options
from .driver_process import driver_pids, end_drivers, node_environment
from .engine import ContextRequest, EmulationOptions, StorageState
from .launch_environment import browser_environment
from .launch_flags import UNWANTED_DEFAULTS, launch_flags
from .proxy_session import ProxySession

logger = logging.getLogger(__name__)

# Leaves the session that took the last one the time to load its first page.
WARM_CONTEXT_DELAY_SECONDS = 1.0
# A warm context costs 22 MB and saves 80 ms; with so many sessions in a browser it is not worth it.
MIN_SESSIONS_WITHOUT_WARM_CONTEXT = 5


@dataclass(frozen=True)
class BrowserFacts:
    """A running browser as ``status`` and ``health`` show it."""

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
    """Owns the Playwright driver and the browsers that it launched, not the proxy.

    ``guards_secrets`` returns whether there are stored secrets: see ``url_leak_guard``. ``warm_viewport``: the viewport
    of the warm context; None for no warm context. ``code_cache``: a private folder for the driver's compile cache.
    """

    def __init__(
        self,
        proxy: EgressProxy,
        *,
        guards_secrets: Callable[[], bool] = lambda: False,
        warm_viewport: tuple[int, int] | None = None,
        code_cache: Path | None = None,
    ) -> None:
        self._proxy = proxy
        self._code_cache = code_cache
        self._guards_secrets = guards_secrets
        self._warm_viewport = warm_viewport
        # Copied early: the hub later moves TMPDIR into its home, for the profiles that Playwright creates there.
        self._environ = dict(os.environ)
        self._driver: Playwright | None = None
        self._driver_pids: set[int] = set()
        self._driver_lock = asyncio.Lock()
        self._processes: dict[_LaunchKey, list[BrowserProcess]] = {}
        self._launching: dict[_LaunchKey, asyncio.Lock] = {}

    async def warm_driver(self) -> None:
        """Start the driver before the first call: it takes most of a second."""
        await self.driver()

    async def warm_browser(self, request: ContextRequest) -> None:
        """Launch a browser with a warm context for this request, unless any browser runs already."""
        await self._ensure_proxy()
        options = await self._options(request)
        async with self._launching.setdefault(_key(request), asyncio.Lock()):
            if self._running():
                return
            process = await self._launch(request, ProxySession(self._proxy, Ruleset, request.domains), options)
            self._processes[_key(request)] = [process]
        await self._keep_warm_context(process, request, delay_seconds=0)

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> ManagedContext:
        """Open a context in a running browser; launches one if needed."""
        await self._ensure_proxy()
        options = await self._options(request)
        proxy_session = ProxySession(self._proxy, rules, request.domains, parent_proxy=request.parent_proxy)
        process = await self._process(request, proxy_session, options)
        try:
            if self._is_plain(request) and state is None:
                warm = await process.take_warm_context()
                if warm is not None and warm.alive:
                    return warm.assign_to(rules)
            return await process.new_context(request, proxy_session, options, state)
        except (Error, BrowserUnavailable) as error:
            process.release()
            if isinstance(error, Error) and self._has_driver_failed(error):
                self._drop_driver()
            elif process.alive:
                raise
        except BaseException:
            process.release()
            raise
        finally:
            await self._keep_warm_context(process, request)
        # The browser died before anything was done in it: launch a new one, once.
        process = await self._process(request, proxy_session, options)
        try:
            return await process.new_context(request, proxy_session, options, state)
        except BaseException:
            process.release()
            raise

    def facts(self) -> list[BrowserFacts]:
        return [
            BrowserFacts(process.found.kind, str(process.found.executable), process.browser.version, process.users)
            for process in self._running()
        ]

    async def close_idle(self, idle_seconds: float) -> None:
        """Close browsers that had no session for that long."""
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
                await asyncio.wait_for(driver.stop(), CLOSE_TIMEOUT_SECONDS)

    def _drop_driver(self) -> None:
        """End a driver that does not work any more; its browsers end with it, and the next ``open`` starts another."""
        logger.warning("Playwright's driver does not work any more: it is replaced")
        self._driver = None
        for process in self._running():
            process.mark_lost()
        end_drivers(self._driver_pids)

    def _has_driver_failed(self, error: Error) -> bool:
        return is_driver_failure(error.message) or self._has_driver_ended()

    def _has_driver_ended(self) -> bool:
        """Whether the driver's process is gone. Playwright does not report that for a browser that it launched."""
        return self._driver is not None and not self._driver_pids & driver_pids()

    def _check_driver(self) -> None:
        if self._has_driver_ended():
            self._drop_driver()

    def _running(self) -> list[BrowserProcess]:
        return [process for processes in self._processes.values() for process in processes if process.alive]

    async def _options(self, request: ContextRequest) -> ContextOptions:
        driver = await self.driver()
        return context_options(request, cast("dict[str, dict[str, object]]", driver.devices))  # pyright: ignore[reportUnknownMemberType]

    def _is_plain(self, request: ContextRequest) -> bool:
        """Whether the warm context fits the request."""
        special = (request.domains, request.emulation, request.parent_proxy, request.user_data_dir)
        return special == (None, EmulationOptions(), None, None) and request.viewport == self._warm_viewport

    async def _keep_warm_context(
        self, process: BrowserProcess, request: ContextRequest, *, delay_seconds: float = WARM_CONTEXT_DELAY_SECONDS
    ) -> None:
        if self._warm_viewport is None or not self._is_plain(request):
            return
        options = await self._options(request)
        proxy_session = ProxySession(self._proxy, Ruleset, None)
        process.keep_warm_context(
            lambda: process.new_context(request, proxy_session, options, None),
            max_users=min(request.per_browser, MIN_SESSIONS_WITHOUT_WARM_CONTEXT),
            delay_seconds=delay_seconds,
        )

    async def _ensure_proxy(self) -> None:
        try:
            if await self._proxy.ensure_listening():
                logger.info("the egress proxy listens on port %d", self._proxy.port)
        except OSError as error:
            raise BrowserUnavailable(
                f"Browser Pilot's own proxy cannot listen on port {self._proxy.port}: {error.strerror}. "
                "Browsers reach the network only through it.",
                suggestions=["End the program that uses the port, or restart the hub: `browser-pilot stop`."],
            ) from None

    async def _process(
        self, request: ContextRequest, proxy_session: ProxySession, options: ContextOptions
    ) -> BrowserProcess:
        """A browser with room for one more session; that session is counted already."""
        key = _key(request)
        async with self._launching.setdefault(key, asyncio.Lock()):
            running = [process for process in self._processes.get(key, ()) if process.alive]
            process = next((one for one in running if one.persistent or one.users < request.per_browser), None)
            if process is None:
                process = await self._launch(request, proxy_session, options)
                running.append(process)
            self._processes[key] = running
            process.acquire()
            if self._guards_secrets():
                await process.guard.enable()
            return process

    async def _launch(
        self, request: ContextRequest, proxy_session: ProxySession, options: ContextOptions
    ) -> BrowserProcess:
        found = find_browser(request.executable)
        is_root = os.name == "posix" and os.geteuid() == 0
        if is_root:
            logger.warning("Running as root: Chromium's own sandbox is off (--no-sandbox). Prefer a normal user.")
        egress = browser_arguments(self._proxy.port)
        arguments = launch_flags(request.args, sandbox=not is_root, egress=egress)
        start = partial(self._start, found, request, arguments, proxy_session, options, sandbox=not is_root)
        try:
            return await start()
        except Error as error:
            if self._has_driver_failed(error):
                self._drop_driver()
                return await start()
            raise _launch_error(found, request, error) from error

    async def _start(
        self,
        found: FoundBrowser,
        request: ContextRequest,
        arguments: list[str],
        proxy_session: ProxySession,
        options: ContextOptions,
        *,
        sandbox: bool,
    ) -> BrowserProcess:
        chromium = (await self.driver()).chromium
        environment = browser_environment(self._environ)
        if request.user_data_dir is None:
            browser = await chromium.launch(
                executable_path=found.executable,
                headless=request.headless,
                args=arguments,
                # Playwright switches Chromium's sandbox off by default.
                chromium_sandbox=sandbox,
                ignore_default_args=list(UNWANTED_DEFAULTS),
                timeout=request.launch_timeout_ms,
                env=environment,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            return BrowserProcess(found, browser, on_unreported_end=self._drop_driver, on_error=self._check_driver)
        context = await chromium.launch_persistent_context(
            Path(request.user_data_dir),
            executable_path=found.executable,
            headless=request.headless,
            args=arguments,
            chromium_sandbox=sandbox,
            ignore_default_args=list(UNWANTED_DEFAULTS),
            timeout=request.launch_timeout_ms,
            env=environment,
            **options,
            proxy=proxy_session.settings,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        if context.browser is None:
            raise TypeError("a persistent context that was launched has a browser")
        try:
            await proxy_session.connect(context)
        except BaseException:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(context.close(), CLOSE_TIMEOUT_SECONDS)
            raise
        return BrowserProcess(
            found,
            context.browser,
            (context, proxy_session),
            on_unreported_end=self._drop_driver,
            on_error=self._check_driver,
        )

    async def driver(self) -> Playwright:
        """Playwright's driver, started if needed; all engines share it."""
        async with self._driver_lock:
            if self._driver is None:
                others = driver_pids()
                with node_environment(self._code_cache):
                    self._driver = await async_playwright().start()
                self._driver_pids = driver_pids() - others
            return self._driver


def _key(request: ContextRequest) -> _LaunchKey:
    return _LaunchKey(request.executable, request.headless, request.args, request.user_data_dir)


def _launch_error(found: FoundBrowser, request: ContextRequest, error: Error) -> BrowserUnavailable:
    suggestions = ["`browser-pilot doctor` checks the browser."]
    if NO_SANDBOX.matches(error.message):
        suggestions = [
            "Chromium's sandbox does not work here. Allow user namespaces, or run the container with "
            "--security-opt seccomp=unconfined.",
            'If something else isolates the browser: browser.args = ["--no-sandbox"].',
        ]
    if not request.headless and NO_DISPLAY.matches(error.message):
        suggestions.insert(0, "A window needs a display: leave out --headed, or run under Xvfb.")
    if request.user_data_dir is not None and PROFILE_IN_USE.matches(error.message):
        suggestions.insert(0, f"Another browser uses {request.user_data_dir}: close it or choose another folder.")
    return BrowserUnavailable(
        f"{found.executable} could not be started: {first_line(error.message)}", suggestions=suggestions
    )
