"""Saving what a page shows, and how downloads stand."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from ...errors import InvalidArgument
from ...gateway.saving import Saving, words_of
from ...pages.resource import Resource, resource_at, resource_of
from ...pages.streams import BEGINS_SECONDS
from ...pages.tab import Tab
from ...pages.targets import ElementArgument
from ...pages.transfers import Transfer
from ...sessions.session import Session
from ..answers import Answer
from ..downloads import told
from ..registry import STANDARD, Call, Tool
from ..schema import UNLISTED, TabArguments
from .arguments import Element

# How often a client that wants to know is told how far it is.
PROGRESS_SECONDS = 0.5


class DownloadArguments(TabArguments):
    url: str | None = None
    element: Element | None = None
    ref: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    index: Annotated[int | None, Field(json_schema_extra=UNLISTED)] = None
    selector: Annotated[str | None, Field(json_schema_extra=UNLISTED)] = None
    filename: str | None = None
    wait: bool = True
    id: str | None = None
    cancel: Annotated[bool, Field(json_schema_extra=UNLISTED)] = False


async def download(call: Call, arguments: DownloadArguments) -> Answer:
    given = [arguments.url, arguments.element, arguments.ref, arguments.index, arguments.selector]
    count = sum(value is not None for value in given)
    if arguments.id is not None and count == 0:
        return await _standing(call, arguments, arguments.id)
    if count != 1 or arguments.id is not None:
        raise InvalidArgument(
            "Provide one of: url, index, or selector",
            suggestions=["Or one of element and ref; or `id` alone, to see how a download stands."],
        )
    return await _new(call, arguments)


async def _new(call: Call, arguments: DownloadArguments) -> Answer:
    asked = call.intent(arguments)
    saving = Saving(call.gateway)

    async def find(tab: Tab) -> Resource:
        if arguments.url is not None:
            return await resource_at(tab, arguments.url)
        element, called = _named(arguments)
        return await resource_of(tab, element, called=called)

    async def act(session: Session, tab: Tab, resource: Resource, agreed: str) -> tuple[Transfer, str]:
        until = time.monotonic() + asked.timeout_ms / 1000
        transfer = await saving.begin(
            call.client,
            session,
            tab,
            resource,
            name=arguments.filename or "",
            agreed=agreed,
            asked_for=arguments.url is not None,
        )
        try:
            if arguments.wait:
                await _watch(call, transfer, until)
        except asyncio.CancelledError:
            transfer.cancel()
            raise
        if transfer.error is not None:
            raise transfer.error
        return transfer, f"Download {transfer.id} goes on." if transfer.saved is None else words_of(transfer.saved)

    # The call's own deadline ends the waiting, not the transfer; the gateway's comes after both.
    whole_ms = asked.timeout_ms + int(BEGINS_SECONDS * 2 * 1000)
    intent = replace(asked, timeout_ms=whole_ms)
    return told(await call.gateway.download(intent, find, act, may_open=arguments.url is not None))


async def _standing(call: Call, arguments: DownloadArguments, transfer_id: str) -> Answer:
    asked = call.intent(arguments, effect="read")
    until = time.monotonic() + asked.timeout_ms / 1000

    async def look(session: Session) -> Answer:
        transfer = session.shelf.get(transfer_id)
        if transfer is None:
            known = ", ".join(one.id for one in session.shelf) or "none"
            raise InvalidArgument(f"There is no download {transfer_id[:40]!r}.", suggestions=[f"Downloads: {known}."])
        if arguments.cancel:
            transfer.cancel()
            await transfer.until_ended(max(0.0, until - time.monotonic()))
        elif arguments.wait:
            await _watch(call, transfer, until)
        if transfer.error is not None and not arguments.cancel:
            raise transfer.error
        return told(transfer)

    return await call.gateway.on_session(replace(asked, timeout_ms=asked.timeout_ms + 1_000), look)


async def _watch(call: Call, transfer: Transfer, until: float) -> None:
    """Until it has ended or the time is over, telling how far it is."""
    while (left := until - time.monotonic()) > 0:
        ended = await transfer.until_ended(min(left, PROGRESS_SECONDS))
        await call.progress(transfer.received, transfer.total, f"{transfer.received:,} bytes of {transfer.source}")
        if ended:
            return


def _named(arguments: DownloadArguments) -> tuple[ElementArgument, str]:
    if arguments.index is not None:
        return {"index": arguments.index}, f"index {arguments.index}"
    element = arguments.selector or arguments.ref or arguments.element or ""
    return element, element if isinstance(element, str) else str(next(iter(element.values()), ""))


TOOLS = (
    Tool(
        name="browser_download",
        title="Download",
        description="Save what an element shows or links to, or a url.",
        arguments=DownloadArguments,
        effect="download",
        profiles=STANDARD,
        handler=download,
    ),
)
