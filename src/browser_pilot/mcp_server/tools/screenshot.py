"""Pictures and paper: the page as it looks."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import Field

from ...pages.capture import PictureFormat, pdf, save_file, screenshot
from ...pages.tab import Tab
from ..answers import Answer, Picture
from ..registry import FULL_ONLY, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import page_data


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
        path = save_file(
            call.client.settings.files.screenshot_dir, call.gateway.redactor.filename(arguments.path), data
        )
        return Answer({**await page_data(tab), "path": str(path), "bytes": len(data)})

    return await call.gateway.on_tab(call.intent(arguments), look)


class PdfArguments(TabArguments):
    path: str | None = None


async def print_page(call: Call, arguments: PdfArguments) -> Answer:
    async def look(tab: Tab) -> Answer:
        data = await pdf(tab)
        name = arguments.path or f"{time.time_ns() // 1_000_000}.pdf"
        path = save_file(call.client.settings.files.screenshot_dir, call.gateway.redactor.filename(name), data)
        return Answer({**await page_data(tab), "path": str(path), "bytes": len(data)})

    return await call.gateway.on_tab(call.intent(arguments), look)


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
        name="browser_pdf",
        title="Save as PDF",
        description="Save the page as a PDF file.",
        arguments=PdfArguments,
        effect="capture",
        profiles=FULL_ONLY,
        handler=print_page,
    ),
)
