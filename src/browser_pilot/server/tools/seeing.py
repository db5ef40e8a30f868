"""Pictures, paper, and what goes on behind the page: its console and its network."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from pydantic import Field

from ...pages.capture import PictureFormat, pdf, save_file, screenshot
from ...pages.console import ConsoleEntry
from ...pages.network import Exchange, details
from ...pages.tab import Tab
from ..answers import Answer, Picture
from ..registry import EVERYWHERE, FULL_ONLY, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import page_data

Limit = Annotated[int, Field(ge=1, le=1000)]
Number = Annotated[int | None, Field(ge=0, le=2**53)]
LONGEST_URL = 200


class ScreenshotArguments(TabArguments):
    element: Element | None = None
    full_page: bool = False
    format: PictureFormat = "png"
    quality: Annotated[int | None, Field(ge=1, le=100)] = None
    labels: Annotated[bool, Field(description="draw refs")] = False
    path: Annotated[str | None, Field(description="file name to save to")] = None


async def take_screenshot(call: Call, arguments: ScreenshotArguments) -> Answer:
    async def look(tab: Tab) -> Answer:
        data = await screenshot(
            tab,
            element=arguments.element,
            full_page=arguments.full_page,
            picture_format=arguments.format,
            quality=arguments.quality,
            labels=arguments.labels,
        )
        if arguments.path is None:
            return Answer(await page_data(tab), (Picture(data, f"image/{arguments.format}"),))
        path = save_file(call.client.settings.files.screenshot_dir, arguments.path, data)
        return Answer({**await page_data(tab), "path": str(path), "bytes": len(data)})

    return await call.gateway.on_tab(call.intent(arguments), look)


class PdfArguments(TabArguments):
    path: str | None = None


async def print_page(call: Call, arguments: PdfArguments) -> Answer:
    async def look(tab: Tab) -> Answer:
        data = await pdf(tab)
        name = arguments.path or f"{time.time_ns() // 1_000_000}.pdf"
        path = save_file(call.client.settings.files.screenshot_dir, name, data)
        return Answer({**await page_data(tab), "path": str(path), "bytes": len(data)})

    return await call.gateway.on_tab(call.intent(arguments), look)


class ConsoleArguments(TabArguments):
    level: Literal["error", "warning", "info", "debug"] | None = None
    text: str | None = None
    limit: Limit = 50
    cursor: Number = None


async def console(call: Call, arguments: ConsoleArguments) -> Answer:
    def wanted(entry: ConsoleEntry) -> bool:
        return (arguments.level is None or entry.level == arguments.level) and _contains(entry.text, arguments.text)

    async def look(tab: Tab) -> Answer:
        found = tab.console.latest(wanted, limit=arguments.limit, before=arguments.cursor)
        rows = [
            {"level": entry.level, "time": _clock(entry.time_ms), "text": entry.text, "where": entry.where}
            for entry in found.entries
        ]
        return Answer({"logs": rows, **_earlier(found.earlier, found.entries)})

    return await call.gateway.on_tab(call.intent(arguments), look)


class NetworkArguments(TabArguments):
    id: Annotated[Number, Field(description="details of one")] = None
    method: str | None = None
    status: Annotated[str | None, Field(description="404, 4xx, failed")] = None
    type: str | None = None
    url: str | None = None
    limit: Limit = 50
    cursor: Number = None


async def network(call: Call, arguments: NetworkArguments) -> Answer:
    def wanted(exchange: Exchange) -> bool:
        return (
            (arguments.method is None or exchange.method == arguments.method.upper())
            and (arguments.type is None or exchange.type == arguments.type)
            and _contains(exchange.url, arguments.url)
            and _has_status(exchange, arguments.status)
        )

    async def look(tab: Tab) -> Answer:
        if arguments.id is not None:
            return Answer(await _details(tab.network.get(arguments.id)))
        found = tab.network.latest(wanted, limit=arguments.limit, before=arguments.cursor)
        rows = [_summary(exchange) for exchange in found.entries]
        return Answer({"requests": rows, **_earlier(found.earlier, found.entries)})

    return await call.gateway.on_tab(call.intent(arguments), look)


def _summary(exchange: Exchange) -> dict[str, object]:
    url = exchange.url if len(exchange.url) <= LONGEST_URL else f"{exchange.url[:LONGEST_URL]}…"
    return {
        "id": exchange.number,
        "method": exchange.method,
        "status": exchange.failure or exchange.status or "pending",
        "type": exchange.type,
        "ms": exchange.duration_ms,
        "url": url,
    }


async def _details(exchange: Exchange) -> dict[str, object]:
    known = await details(exchange)
    data: dict[str, object] = {**_summary(exchange), "url": exchange.url}
    data["request_headers"] = known.request_headers
    if known.request_body is not None:
        data["request_body"] = known.request_body
    if known.response_headers:
        data["response_headers"] = known.response_headers
    if known.response_body is not None:
        data["response_body"] = known.response_body
    return data


def _has_status(exchange: Exchange, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted == "failed":
        return exchange.failure is not None
    status = str(exchange.status or "")
    return status == wanted or (wanted.endswith("xx") and status[:1] == wanted[:1])


def _contains(text: str, wanted: str | None) -> bool:
    return wanted is None or wanted.lower() in text.lower()


def _earlier(count: int, entries: tuple[ConsoleEntry, ...] | tuple[Exchange, ...]) -> dict[str, object]:
    return {"earlier": count, "cursor": entries[0].number} if count else {}


def _clock(time_ms: int) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(time_ms / 1000))}.{time_ms % 1000:03d}"


TOOLS = (
    Tool(
        name="browser_screenshot",
        title="Take a screenshot",
        description="A picture of the page or of one element.",
        arguments=ScreenshotArguments,
        effect="capture",
        profiles=STANDARD,
        handler=take_screenshot,
    ),
    Tool(
        name="browser_console",
        title="Read the console",
        description="Console messages and uncaught errors.",
        arguments=ConsoleArguments,
        effect="read",
        profiles=EVERYWHERE,
        handler=console,
    ),
    Tool(
        name="browser_network",
        title="See the network",
        description="Requests of the page; `id` shows one whole.",
        arguments=NetworkArguments,
        effect="read",
        profiles=STANDARD,
        handler=network,
    ),
    Tool(
        name="browser_pdf",
        title="Save as PDF",
        description="Save the page as a PDF file.",
        arguments=PdfArguments,
        effect="capture",
        profiles=FULL_ONLY,
        handler=print_page,
    ),
)
