"""Downloads: of an element or a URL, and their state."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from browser_pilot.errors import InvalidArgument
from browser_pilot.gateway import Scope, ToolContext
from browser_pilot.gateway.downloads import begin_download, saved_summary
from browser_pilot.mcp_server.resources.download_resources import list_result, transfer_result
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.resolve import ElementArgument
from browser_pilot.page.downloads.downloadable import DownloadSpec
from browser_pilot.page.downloads.page_fetch import RESPONSE_TIMEOUT_SECONDS
from browser_pilot.page.downloads.transfers import Transfer

from .arguments import ElementField, UrlArgument

PROGRESS_INTERVAL_SECONDS = 0.5
# The call's timeout ends the wait, not the transfer; the pipeline's deadline comes after both.
BEGIN_EXTRA_MS = int(RESPONSE_TIMEOUT_SECONDS * 2 * 1000)
STATE_EXTRA_MS = 1_000
# Instead of an id: lists the downloads.
ALL = "all"


class DownloadArguments(TabArguments):
    url: UrlArgument | None = None
    element: ElementField | None = None
    ref: str | None = None
    index: int | None = None
    selector: str | None = None
    filename: str | None = None
    wait: bool = True
    id: str | None = None
    cancel: bool = False


def download_operation(arguments: DownloadArguments) -> Operation[DownloadArguments, Any]:
    given = [arguments.url, arguments.element, arguments.ref, arguments.index, arguments.selector]
    count = sum(value is not None for value in given)
    if arguments.id is not None and count == 0:
        return LIST if arguments.id == ALL else STATE
    if count != 1 or arguments.id is not None:
        raise InvalidArgument(
            "Provide one of: url, index, or selector",
            suggestions=[f'Or one of element and ref; or `id` alone, for the state of a download ("{ALL}": of each).'],
        )
    return DOWNLOAD if arguments.url is None else DOWNLOAD_URL


def download_spec(arguments: DownloadArguments) -> DownloadSpec:
    if arguments.url is not None:
        return DownloadSpec(url=arguments.url)
    element, called = _element(arguments)
    return DownloadSpec(element=element, called=called)


async def download(context: ToolContext, arguments: DownloadArguments) -> Transfer:
    deadline = time.monotonic() + (context.call.timeout_ms - BEGIN_EXTRA_MS) / 1000
    transfer = await begin_download(
        context,
        name=arguments.filename or "",
        requested=arguments.url is not None,
        wait=arguments.wait,
        timeout_seconds=deadline - time.monotonic(),
    )
    try:
        if arguments.wait:
            await _wait_with_progress(context, transfer, deadline)
    except asyncio.CancelledError:
        transfer.cancel()
        raise
    if transfer.error is not None:
        raise transfer.error
    saved = transfer.saved
    context.summary = f"Download {transfer.id} continues." if saved is None else saved_summary(saved)
    return transfer


async def download_state(context: ToolContext, arguments: DownloadArguments) -> Transfer:
    deadline = time.monotonic() + (context.call.timeout_ms - STATE_EXTRA_MS) / 1000
    downloads, transfer_id = context.session.downloads, arguments.id or ""
    transfer = downloads.get(transfer_id)
    if transfer is None:
        known = ", ".join(one.id for one in downloads) or "none"
        raise InvalidArgument(f"There is no download {transfer_id[:40]!r}.", suggestions=[f"Downloads: {known}."])
    if arguments.cancel:
        transfer.cancel()
        await transfer.wait_ended(max(0.0, deadline - time.monotonic()))
    elif arguments.wait:
        await _wait_with_progress(context, transfer, deadline)
    if transfer.error is not None and not arguments.cancel:
        raise transfer.error
    return transfer


async def render_transfer(context: ToolContext, _: DownloadArguments, transfer: Transfer) -> ToolResult:
    in_home = context.session.file_saver is None
    return transfer_result(transfer, kept_days=context.settings.files.keep_days if in_home else None)


async def list_downloads(context: ToolContext, _: DownloadArguments) -> tuple[Transfer, ...]:
    return tuple(context.session.downloads)


async def render_list(_: ToolContext, __: DownloadArguments, transfers: tuple[Transfer, ...]) -> ToolResult:
    return list_result(transfers)


async def _wait_with_progress(context: ToolContext, transfer: Transfer, deadline: float) -> None:
    """Wait for the end of a transfer or the deadline, with progress notifications."""
    while (left := deadline - time.monotonic()) > 0:
        ended = await transfer.wait_ended(min(left, PROGRESS_INTERVAL_SECONDS))
        text = f"{transfer.received:,} bytes of {transfer.source}"
        await context.call.progress(transfer.received, transfer.total, text)
        if ended:
            return


def _element(arguments: DownloadArguments) -> tuple[ElementArgument, str]:
    if arguments.index is not None:
        return {"index": arguments.index}, f"index {arguments.index}"
    element = arguments.selector or arguments.ref or arguments.element or ""
    return element, element if isinstance(element, str) else str(next(iter(element.values()), ""))


DOWNLOAD = Operation[DownloadArguments, Transfer](
    download=download_spec, execute=download, render=render_transfer, extra_timeout_ms=BEGIN_EXTRA_MS
)
DOWNLOAD_URL = Operation[DownloadArguments, Transfer](
    scope=Scope.TAB_OR_NEW,
    download=download_spec,
    execute=download,
    render=render_transfer,
    extra_timeout_ms=BEGIN_EXTRA_MS,
)
STATE = Operation[DownloadArguments, Transfer](
    effect="read",
    scope=Scope.SESSION,
    execute=download_state,
    render=render_transfer,
    extra_timeout_ms=STATE_EXTRA_MS,
)
LIST = Operation[DownloadArguments, tuple[Transfer, ...]](
    effect="read", scope=Scope.SESSION, execute=list_downloads, render=render_list
)


TOOLS = (
    Tool(
        name="browser_download",
        title="Download",
        description="Save an element or url.",
        arguments=DownloadArguments,
        effect="download",
        profiles=STANDARD,
        choose=download_operation,
    ),
)
