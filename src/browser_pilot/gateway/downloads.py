"""Saves files after their download is authorized: downloads that a call requests, and those that a page starts."""

from __future__ import annotations

import asyncio

from browser_pilot.files.file_writer import SavedFile
from browser_pilot.page.downloads.browser_download import BrowserDownload
from browser_pilot.page.downloads.browser_fetch import fetch_by_browser
from browser_pilot.page.downloads.downloadable import DownloadSpec, FileHead, FileStream
from browser_pilot.page.downloads.managed_browser import open_stream, save_stream
from browser_pilot.page.downloads.page_fetch import RESPONSE_TIMEOUT_SECONDS
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

# So long a call that does not wait looks for an immediate error, or a file that requires approval.
BEGIN_TIMEOUT_SECONDS = 1.0
# A transfer may take any time while it makes progress; a stalled one ends with its own timeout.
_MAX_TRANSFER_MS = 24 * 60 * 60 * 1000


async def begin_download(
    context: ToolContext, *, name: str, requested: bool, wait: bool, timeout_seconds: float
) -> Transfer:
    """Start the transfer of a call's download, and return when it has begun. Cancelling before that cancels it.

    ``requested``: the agent gave the URL, so it did not come from a page. Without ``wait``, return a little later even
    if it has not begun. ``timeout_seconds`` may extend the time for the response.
    """
    session, tab, resource = context.session, context.tab, context.downloadable
    options = save_options(context.call.client, context.redactor, name=name, executable=context.call.executable)
    if requested:
        session.allow_navigation(page_site(resource.url) or BLANK)
    transfer = session.downloads.add(resource.source, owner=session.id, page_url=resource.page_url)

    transfer.note = resource.note
    response_seconds = max(RESPONSE_TIMEOUT_SECONDS, timeout_seconds)

    async def open_source() -> FileStream:
        on_progress = progress_callback(transfer, options)
        return await open_stream(tab, resource, timeout_seconds=response_seconds, on_progress=on_progress)

    async def open_without_page() -> FileStream:
        on_progress = progress_callback(transfer, options)
        return await fetch_by_browser(tab, resource, timeout_seconds=response_seconds, on_progress=on_progress)

    without_page = open_without_page if resource.is_remote else None

    file_saver = session.file_saver
    if file_saver is not None:
        session.start_transfer(transfer, lambda: save_in_user_chrome(transfer, tab, resource, options, file_saver))
    else:
        session.start_transfer(transfer, lambda: save_stream(transfer, open_source, options, without_page=without_page))
    try:
        await transfer.wait_begun(None if wait else BEGIN_TIMEOUT_SECONDS)
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

    async def save(self, session: Session, tab: Tab, transfer: Transfer, download: BrowserDownload) -> SavedFile:
        """Save a download that a page started, if it is authorized; else discard it."""
        call = ToolCall(
            client=session.client,
            tool="browser_download",
            effect="download",
            arguments={"url": download.url, "filename": download.filename},
            timeout_ms=_MAX_TRANSFER_MS,
            session=session.id,
            tab=tab.id,
            download=DownloadSpec(started=download.downloadable()),
        )

        async def execute(context: ToolContext) -> SavedFile:
            options = save_options(
                session.client, context.redactor, name=download.filename, executable=context.call.executable
            )
            file_saver = session.file_saver
            if file_saver is not None:
                head = FileHead(download.url, "", download.filename)
                saved = await keep_browser_download(transfer, download, head, options, file_saver)
            else:
                saved = await save_stream(
                    transfer, lambda: download.open(progress_callback(transfer, options)), options
                )
            context.summary = saved_summary(saved)
            return saved

        try:
            _, saved = await self._gateway.run(call, execute, location=Location(session, tab))
            return saved
        finally:
            await download.delete()


def save_options(client: Client, redactor: Redactor, *, name: str, executable: str) -> SaveOptions:
    files = client.settings.files
    return SaveOptions(
        folder=files.download_dir,
        max_bytes=files.max_download_mb << 20,
        redact=redactor.url,
        name=redactor.filename(name),
        approved_extension=executable,
    )


def saved_summary(saved: SavedFile) -> str:
    """For the audit log."""
    return f"Saved {saved.path} ({saved.size:,} bytes, sha256 {saved.sha256})."
