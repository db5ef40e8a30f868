"""One open page, with what belongs to it: isolated world, network tracker, console and network logs, dialogs.

Lives as long as its Playwright page. After a crash, the session opens another tab under the same id.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from playwright.async_api import Download, Error, Page

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.page.actions.dialogs import Dialogs
from browser_pilot.page.actions.network_tracker import NetworkTracker
from browser_pilot.page.observe.console import ConsoleLog
from browser_pilot.page.observe.network_log import NetworkLog
from browser_pilot.page.observe.proxy_errors import NetworkErrorLookup, no_network_errors
from browser_pilot.page.snapshot.history import SnapshotHistory
from browser_pilot.safe_text import cut, sanitize

from .filled_secrets import FilledSecrets
from .isolated_world import World
from .picked_element import PickedElement
from .renderer_crash import crash_renderer

# As in the page (``pageTitle``). More than a result shows: secrets are redacted before it is cut to that.
MAX_TITLE_CHARACTERS = 1_000


@dataclass(slots=True)
class Mouse:
    """The position of the mouse in the viewport, once it has moved."""

    position: tuple[float, float] | None = None


def _ignore_download(_tab: Tab, _download: Download) -> str:
    return ""


class Tab:
    """``last_network_error`` returns the proxy's reason why a URL was not reached.

    ``on_download`` gets the downloads that the page starts, and returns the id of each.
    """

    def __init__(
        self,
        tab_id: str,
        page: Page,
        last_network_error: NetworkErrorLookup = no_network_errors,
        *,
        on_download: Callable[[Tab, Download], str] = _ignore_download,
    ) -> None:
        self.id = tab_id
        self.page = page
        self.last_network_error = last_network_error
        self.console = ConsoleLog(page)
        self.network = NetworkLog(page, last_network_error)
        self.world = World(page)
        self.secrets = FilledSecrets(page, self.world)
        self.tracker = NetworkTracker(page, lambda download: on_download(self, download))
        self.snapshots = SnapshotHistory(self.world, self.tracker)
        self.dialogs = Dialogs(page, on_flood=self._on_dialog_flood)
        self._tasks = BackgroundTasks("a tab")
        self.mouse = Mouse()
        # The element that the user last picked in this tab.
        self.picked: PickedElement | None = None

    def _on_dialog_flood(self) -> None:
        self._tasks.spawn(self._end_flood())

    async def _end_flood(self) -> None:
        self.tracker.dropped_events.was_stopped = True
        with suppress(Error):
            await crash_renderer(await self.world.frames.main_session(), self.page)

    def take_notices(self) -> tuple[str, ...]:
        """What happened without a call: each notice is returned once."""
        return (
            *self.dialogs.take_notices(),
            *self.tracker.dropped_events.take_notices(),
            *self.tracker.take_download_notices(),
        )

    @property
    def crashed(self) -> bool:
        return self.world.crashed

    @property
    def is_disconnected(self) -> bool:
        browser = self.page.context.browser
        return browser is not None and not browser.is_connected()

    async def title(self) -> str:
        """The beginning of the page's title; empty when it cannot be read now."""
        try:
            return sanitize(cut(await self.page.title(), MAX_TITLE_CHARACTERS))
        except Error:
            return ""

    @property
    def open(self) -> bool:
        return not self.page.is_closed() and not self.crashed
