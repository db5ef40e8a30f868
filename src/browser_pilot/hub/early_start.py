"""The part of a hub that starts first: the home's lock, the egress proxy, and the engine of managed browsers.

A browser takes longer to start than the proxy and the engine take to import. So a hub that an adapter starts launches
one while its other modules (``app``) are still imported; therefore this module imports neither MCP nor the gateway.

Lifecycle: ``claimed_home`` holds the lock for as long as the hub runs, and closes the browsers before it releases it.
``follow`` replaces the settings of the start by the live ones.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.config.settings import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.egress.parent_proxy import ParentProxy, parent_proxy_of
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.home import make_private_folder
from browser_pilot.sessions.options import context_request

from .orphan_cleanup import clean_up_home
from .single_instance import single_instance


class ManagedBrowsers:
    """The egress proxy and the managed engine, which belong together."""

    def __init__(self, home: Path, settings: Settings) -> None:
        self._settings: Callable[[], Settings] = lambda: settings
        # Until it is known whether the user has stored secrets, every browser is guarded.
        self._has_secrets: Callable[[], bool] = lambda: True
        self.egress = EgressProxy(parent_proxy=lambda: parent_proxy(self._settings()))
        self.engine = ManagedEngine(
            self.egress,
            guards_secrets=lambda: self._has_secrets(),
            warm_viewport=settings.browser.viewport if settings.sessions.warm else None,
            code_cache=home / "driver-cache",
        )

    def follow(self, config: CurrentConfig, has_secrets: Callable[[], bool]) -> None:
        """From now on, use the live settings and the stored secrets."""
        self._settings = lambda: config.settings
        self._has_secrets = has_secrets

    async def warm_driver(self) -> None:
        """Start Playwright's driver, which every engine needs."""
        await self.engine.warm_driver()

    async def warm_browser(self) -> None:
        """Launch a browser for the first session, if the settings want one."""
        settings = self._settings()
        browser = settings.browser
        if settings.sessions.warm and browser.engine == "managed" and browser.user_data_dir is None:
            with contextlib.suppress(PilotError):
                await self.engine.warm_browser(context_request(settings))

    async def close(self) -> None:
        await self.engine.close()
        await self.egress.close()


@asynccontextmanager
async def claimed_home(home: Path, settings: Settings) -> AsyncGenerator[ManagedBrowsers]:
    """Hold the home's lock and clean up after a killed predecessor. Raises ``HubRunning``."""
    make_private_folder(home)
    with single_instance(home):
        # Created before the clean-up moves TMPDIR: the browsers get the environment as it was.
        managed = ManagedBrowsers(home, settings)
        clean_up_home(home, settings.files.download_dir)
        await managed.egress.start()
        try:
            yield managed
        finally:
            await managed.close()


def parent_proxy(settings: Settings) -> ParentProxy | None:
    """The proxy that all traffic of managed browsers and guests uses after ours; ``doctor`` reports a malformed one."""
    network = settings.network
    with contextlib.suppress(InvalidArgument):
        return parent_proxy_of(network.proxy, network.no_proxy, os.environ)
    return None
