"""Saving files, once that is allowed: those that a call asks for, and those that a page sets off."""

from __future__ import annotations

import asyncio

from ..files.store import SavedFile
from ..pages.caught import Caught
from ..pages.in_place import keep_in_place, save_in_place
from ..pages.resource import Resource
from ..pages.stream import Head, Stream
from ..pages.streams import open_stream
from ..pages.tab import Tab
from ..pages.transfers import FileCanRun, Transfer, Wish, save, watcher
from ..policy.hosts import BLANK, page_site
from ..records.redaction import Redactor
from ..sessions.client import Client
from ..sessions.session import Session
from .flow import Gateway
from .intent import Intent

# However long a transfer takes, as long as it moves; a browser that fetches says itself when it gives up.
_LONGEST_MS = 24 * 60 * 60 * 1000


class Saving:
    """Its life is the hub's. From the start it takes every download that a tab sets off."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def begin(
        self,
        client: Client,
        session: Session,
        tab: Tab,
        resource: Resource,
        *,
        name: str,
        agreed: str,
        asked_for: bool,
    ) -> Transfer:
        """Start to save; comes back when the transfer has begun. Cancelled until then, nothing of it stays.

        ``asked_for`` when the agent itself named the address, so that no page leads there.
        """
        wish = wish_of(client, self._gateway.redactor, name=name, agreed=agreed)
        if asked_for:
            session.let_open(page_site(resource.url) or BLANK)
        transfer = session.shelf.add(resource.source, owner=session.id, page_url=resource.page_url)

        async def opening() -> Stream:
            return await open_stream(tab, resource, moved=watcher(transfer, wish))

        saver = session.saver
        if saver is not None:
            session.save(transfer, lambda: save_in_place(transfer, tab, resource, wish, saver))
        else:
            session.save(transfer, lambda: save(transfer, opening, wish))
        try:
            await transfer.until_begun()
        except asyncio.CancelledError:
            transfer.cancel()
            raise
        except FileCanRun:
            session.shelf.forget(transfer)
            raise
        return transfer

    async def keep(self, session: Session, tab: Tab, transfer: Transfer, caught: Caught) -> SavedFile:
        """Keep what a page set off, if the rules and the user let it; else it is dropped."""
        client, redactor = session.client, self._gateway.redactor
        intent = Intent(
            client=client,
            tool="browser_download",
            effect="download",
            arguments={"url": caught.url, "filename": caught.filename},
            timeout_ms=_LONGEST_MS,
            session=session.id,
            tab=tab.id,
        )

        async def find(_: Tab) -> Resource:
            return caught.resource()

        async def act(_: Session, __: Tab, ___: Resource, agreed: str) -> tuple[SavedFile, str]:
            wish = wish_of(client, redactor, name=caught.filename, agreed=agreed)
            saver = session.saver
            if saver is not None:
                head = Head(caught.url, "", caught.filename)
                saved = await keep_in_place(transfer, caught, head, wish, saver)
            else:
                saved = await save(transfer, lambda: caught.open(watcher(transfer, wish)), wish)
            return saved, words_of(saved)

        try:
            return await self._gateway.download(intent, find, act, tab=tab)
        finally:
            await caught.drop()


def wish_of(client: Client, redactor: Redactor, *, name: str, agreed: str) -> Wish:
    files = client.settings.files
    return Wish(
        folder=files.download_dir,
        most_bytes=files.max_download_mb << 20,
        redact=redactor.url,
        name=redactor.filename(name),
        agreed=agreed,
    )


def words_of(saved: SavedFile) -> str:
    """For the record."""
    return f"Saved {saved.path} ({saved.size:,} bytes, sha256 {saved.sha256})."
