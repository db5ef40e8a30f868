"""Looking at a page: its snapshot, a picture, its console."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from pydantic import Field

from ...pages.capture import PictureFormat, save_picture, screenshot
from ...pages.tab import Tab
from ..answers import Answer, Picture
from ..registry import EVERYWHERE, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import page_data, snapshot_data


class SnapshotArguments(TabArguments):
    pass


async def snapshot(call: Call, arguments: SnapshotArguments) -> Answer:
    intent = call.intent(arguments)

    async def look(tab: Tab) -> Answer:
        return Answer(await snapshot_data(tab, timeout_ms=intent.timeout_ms))

    return await call.gateway.on_tab(intent, look)


class ScreenshotArguments(TabArguments):
    element: Element | None = None
    full_page: bool = False
    format: PictureFormat = "png"
    quality: Annotated[int, Field(ge=1, le=100)] | None = None
    path: Annotated[str | None, Field(description="save under this file name")] = None


async def take_screenshot(call: Call, arguments: ScreenshotArguments) -> Answer:
    intent = call.intent(arguments)

    async def look(tab: Tab) -> Answer:
        data = await screenshot(
            tab,
            element=arguments.element,
            full_page=arguments.full_page,
            picture_format=arguments.format,
            quality=arguments.quality,
            timeout_ms=intent.timeout_ms,
        )
        if arguments.path is None:
            return Answer(await page_data(tab), (Picture(data, f"image/{arguments.format}"),))
        path = save_picture(call.client.settings.files.screenshot_dir, arguments.path, data)
        return Answer({**await page_data(tab), "path": str(path), "bytes": len(data)})

    return await call.gateway.on_tab(intent, look)


class ConsoleArguments(TabArguments):
    level: Literal["error", "warning", "info", "debug"] | None = None
    text: str | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 50


async def console(call: Call, arguments: ConsoleArguments) -> Answer:
    async def look(tab: Tab) -> Answer:
        wanted = [
            entry
            for entry in tab.console
            if (arguments.level is None or entry.level == arguments.level)
            and (arguments.text is None or arguments.text.lower() in entry.text.lower())
        ]
        shown = wanted[-arguments.limit :]
        rows = [
            {"level": entry.level, "time": _clock(entry.time_ms), "text": entry.text, "where": entry.where}
            for entry in shown
        ]
        data: dict[str, object] = {"logs": rows}
        if len(wanted) > len(shown):
            data["earlier"] = len(wanted) - len(shown)
        return Answer(data)

    return await call.gateway.on_tab(call.intent(arguments), look)


def _clock(time_ms: int) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(time_ms / 1000))}.{time_ms % 1000:03d}"


TOOLS = (
    Tool(
        name="browser_snapshot",
        title="See the page",
        description="The page as rows of ref, role, name, states.",
        arguments=SnapshotArguments,
        effect="read",
        profiles=EVERYWHERE,
        handler=snapshot,
    ),
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
)
