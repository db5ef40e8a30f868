"""The browser engines of a hub, with the egress proxy that managed browsers use.

``close`` ends managed and remote browsers; the user's own Chrome is detached before, by ``UserChrome.detach``.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.config.live_reload import CurrentConfig, LiveConfig
from browser_pilot.egress import EgressProxy
from browser_pilot.egress.parent_proxy import ParentProxy, parent_proxy_of
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.engines.remote import RemoteEngine
from browser_pilot.engines.router import EngineRouter
from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.mcp_server.client_registry import ClientRegistry
from browser_pilot.sessions.options import context_request

from .records import Records
from .user_chrome import UserChrome


@dataclass(frozen=True)
class Browsers:
    egress: EgressProxy
    managed: ManagedEngine
    user_chrome: UserChrome
    remote: RemoteEngine

    @property
    def engine(self) -> EngineRouter:
        """Opens sessions in the engine that they request."""
        return EngineRouter(self.managed, self.user_chrome.engine, self.remote)

    async def warm(self, config: CurrentConfig, clients: ClientRegistry) -> None:
        """Start the Playwright driver at once, and a browser when the first client has connected."""
        await self.managed.warm_driver()
        await clients.first_connected.wait()
        settings = config.settings
        browser = settings.browser
        if settings.sessions.warm and browser.engine == "managed" and browser.user_data_dir is None:
            with contextlib.suppress(PilotError):
                await self.managed.warm_browser(context_request(settings))

    async def close(self) -> None:
        await self.remote.close()
        await self.managed.close()
        await self.egress.close()


def parent_proxy(config: CurrentConfig) -> ParentProxy | None:
    """The proxy that all traffic of managed browsers and guests uses after ours; ``doctor`` reports a malformed one."""
    network = config.settings.network
    with contextlib.suppress(InvalidArgument):
        return parent_proxy_of(network.proxy, network.no_proxy, os.environ)
    return None


def create_browsers(home: Path, config: LiveConfig, records: Records, ui: UiBackend) -> Browsers:
    egress = EgressProxy(parent_proxy=lambda: parent_proxy(config))
    settings = config.settings
    managed = ManagedEngine(
        egress,
        guards_secrets=lambda: bool(records.secrets.values()),
        warm_viewport=settings.browser.viewport if settings.sessions.warm else None,
        code_cache=home / "driver-cache",
    )
    user_chrome = UserChrome(home, config=config, ui=ui, note=records.audit.note, driver=managed.driver)
    return Browsers(egress=egress, managed=managed, user_chrome=user_chrome, remote=RemoteEngine(managed.driver))
