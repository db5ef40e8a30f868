"""Events of the sessions, for the parts of the hub that are built on top of them.

Created before the sessions and passed to them, so that a part that needs the sessions can also receive their events.
Listeners are called in the order in which they were added.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from browser_pilot.errors import DownloadFailed
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.downloads.transfers import Transfer
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import TabEvent

from .client import Client
from .session import DownloadHandler, Session

TabListener: TypeAlias = Callable[[Client, str, TabEvent], None]
TransferListener: TypeAlias = Callable[[Client, Transfer], None]
ClosedListener: TypeAlias = Callable[[str], Awaitable[None]]


class SessionEvents:
    """``on_…`` add a listener, ``handle_downloads`` sets the one handler; the other methods are for the sessions."""

    def __init__(self) -> None:
        self._tab: list[TabListener] = []
        self._transfer: list[TransferListener] = []
        self._closed: list[ClosedListener] = []
        self._download_handler: DownloadHandler | None = None

    def on_tab_change(self, listener: TabListener) -> None:
        """Receives the client, the tab's id and what changed."""
        self._tab.append(listener)

    def on_transfer_end(self, listener: TransferListener) -> None:
        """Receives each download of a client when it has ended, whatever its outcome."""
        self._transfer.append(listener)

    def on_closed(self, listener: ClosedListener) -> None:
        """Receives the id of each session that is closed while its client stays connected."""
        self._closed.append(listener)

    def handle_downloads(self, handler: DownloadHandler) -> None:
        """``handler`` saves the downloads that pages start. Without one they are discarded."""
        self._download_handler = handler

    def tab_changed(self, client: Client, tab_id: str, change: TabEvent) -> None:
        for listener in self._tab:
            listener(client, tab_id, change)

    def transfer_ended(self, client: Client, transfer: Transfer) -> None:
        for listener in self._transfer:
            listener(client, transfer)

    async def closed(self, session_id: str) -> None:
        for listener in self._closed:
            await listener(session_id)

    async def save_download(
        self, session: Session, tab: Tab, transfer: Transfer, download: BrowserDownload
    ) -> SavedFile:
        if self._download_handler is None:
            await download.delete()
            raise DownloadFailed("Downloads are not saved here.")
        return await self._download_handler(session, tab, transfer, download)
