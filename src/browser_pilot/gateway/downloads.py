"""Saving files once the download is authorized: those that a call requests, and those that a page starts."""

from __future__ import annotations

import asyncio

from browser_pilot.files.file_writer import SavedFile
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.downloads.downloadable import DownloadSpec, FileHead, FileStream
from browser_pilot.page.downloads.managed_browser import open_stream, save_stream
from browser_pilot.page.downloads.transfers import ExecutableFile, SaveOptions, Transfer, progress_callback
from browser_pilot.page.downloads.user_chrome import keep_browser_download, save_in_user_chrome
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import BLANK, page_site
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.session import Session

from .context import Location, ToolContext
from .pipeline import Gateway
from .tool_call import ToolCall

# A transfer may take any time while it makes progress; one that stalls ends by itself.
_MAX_TRANSFER_MS = 24 * 60 * 60 * 1000


async def begin_download(context: ToolContext, *, name: str, requested: bool) -> Transfer:
    """Start to save what the call downloads; returns when the transfer has begun. Cancelled until then, it is removed.

    ``requested``: the agent itself named the address, so no page leads there.
    """
    session, tab, resource = context.session, context.tab, context.downloadable
    wish = save_options(context.call.client, context.redactor, name=name, agreed=context.call.executable)
    if requested:
        session.allow_navigation(page_site(resource.url) or BLANK)
    transfer = session.downloads.add(resource.source, owner=session.id, page_url=resource.page_url)

    async def open_source() -> FileStream:
        return await open_stream(tab, resource, on_progress=progress_callback(transfer, wish))

    saver = session.file_saver
    if saver is not None:
        session.start_transfer(transfer, lambda: save_in_user_chrome(transfer, tab, resource, wish, saver))
    else:
        session.start_transfer(transfer, lambda: save_stream(transfer, open_source, wish))
    try:
        await transfer.wait_begun()
    except asyncio.CancelledError:
        transfer.cancel()
        raise
    except ExecutableFile:
        session.downloads.remove(transfer)
        raise
    return transfer


class PageDownloads:
    """Handles every download that a page starts. Lives as long as the hub."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def save(self, session: Session, tab: Tab, transfer: Transfer, caught: BrowserDownload) -> SavedFile:
        """Save a download that a page started, if it is authorized; else discard it."""
        call = ToolCall(
            client=session.client,
            tool="browser_download",
            effect="download",
            arguments={"url": caught.url, "filename": caught.filename},
            timeout_ms=_MAX_TRANSFER_MS,
            session=session.id,
            tab=tab.id,
            download=DownloadSpec(started=caught.downloadable()),
        )

        async def execute(context: ToolContext) -> SavedFile:
            wish = save_options(session.client, context.redactor, name=caught.filename, agreed=context.call.executable)
            saver = session.file_saver
            if saver is not None:
                head = FileHead(caught.url, "", caught.filename)
                saved = await keep_browser_download(transfer, caught, head, wish, saver)
            else:
                saved = await save_stream(transfer, lambda: caught.open(progress_callback(transfer, wish)), wish)
            context.summary = saved_summary(saved)
            return saved

        try:
            _, saved = await self._gateway.run(call, execute, location=Location(session, tab))
            return saved
        finally:
            await caught.delete()


def save_options(client: Client, redactor: Redactor, *, name: str, agreed: str) -> SaveOptions:
    files = client.settings.files
    return SaveOptions(
        folder=files.download_dir,
        max_bytes=files.max_download_mb << 20,
        redact=redactor.url,
        name=redactor.filename(name),
        approved_extension=agreed,
    )


def saved_summary(saved: SavedFile) -> str:
    """For the audit log."""
    return f"Saved {saved.path} ({saved.size:,} bytes, sha256 {saved.sha256})."
