"""All browser engines of a hub.

``close`` ends managed and remote browsers; the user's own Chrome is detached before, by ``UserChrome.detach``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.engines.remote import RemoteEngine
from browser_pilot.engines.router import EngineRouter
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.mcp_server.client_registry import ClientRegistry

from .early_start import ManagedBrowsers
from .records import Records
from .user_chrome import UserChrome


@dataclass(frozen=True)
class Browsers:
    managed: ManagedBrowsers
    user_chrome: UserChrome
    remote: RemoteEngine

    @property
    def engine(self) -> EngineRouter:
        """Opens sessions in the engine that they request."""
        return EngineRouter(self.managed.engine, self.user_chrome.engine, self.remote)

    async def warm(self, clients: ClientRegistry) -> None:
        """Start the Playwright driver at once, and a browser when the first client has connected."""
        await self.managed.warm_driver()
        await clients.first_connected.wait()
        await self.managed.warm_browser()

    async def close(self) -> None:
        await self.remote.close()
        await self.managed.close()


def create_browsers(
    home: Path, config: LiveConfig, records: Records, ui: UiBackend, managed: ManagedBrowsers
) -> Browsers:
    managed.follow(config, lambda: bool(records.secrets.values()))
    driver = managed.engine.driver
    user_chrome = UserChrome(home, config=config, ui=ui, note=records.audit.note, driver=driver)
    return Browsers(managed=managed, user_chrome=user_chrome, remote=RemoteEngine(driver))
