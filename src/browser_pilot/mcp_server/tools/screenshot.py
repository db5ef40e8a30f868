"""Screenshots, and the page as a PDF."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ImageData, ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.snapshot.screenshot import ImageFormat, pdf, save_file, screenshot

from .arguments import ElementField
from .page_result import page_data


class ScreenshotArguments(TabArguments):
    element: ElementField | None = None
    full_page: bool = False
    format: ImageFormat = "png"
    quality: Annotated[int | None, Field(ge=1, le=100)] = None
    labels: Annotated[bool, Field(description="draw refs")] = False
    path: Annotated[str | None, Field(description="file name")] = None


async def take_screenshot(context: ToolContext, arguments: ScreenshotArguments) -> bytes:
    return await screenshot(
        context.tab,
        element=arguments.element,
        full_page=arguments.full_page,
        image_format=arguments.format,
        quality=arguments.quality,
        labels=arguments.labels,
    )


async def render_screenshot(context: ToolContext, arguments: ScreenshotArguments, image: bytes) -> ToolResult:
    if arguments.path is not None:
        return await _saved(context, arguments.path, image)
    return ToolResult(await page_data(context.tab), (ImageData(image, f"image/{arguments.format}"),))


class PdfArguments(TabArguments):
    path: str | None = None


async def print_page(context: ToolContext, _: PdfArguments) -> bytes:
    return await pdf(context.tab)


async def render_pdf(context: ToolContext, arguments: PdfArguments, document: bytes) -> ToolResult:
    return await _saved(context, arguments.path or f"{time.time_ns() // 1_000_000}.pdf", document)


async def _saved(context: ToolContext, name: str, data: bytes) -> ToolResult:
    path = save_file(context.settings.files.screenshot_dir, context.redactor.filename(name), data)
    return ToolResult({**await page_data(context.tab), "path": str(path), "bytes": len(data)})


TOOLS = (
    Tool(
        name="browser_screenshot",
        title="Screenshot",
        description="Of the page or one element.",
        arguments=ScreenshotArguments,
        effect="capture",
        profiles=STANDARD,
        operation=Operation(execute=take_screenshot, render=render_screenshot),
    ),
    Tool(
        name="browser_pdf",
        title="Save as PDF",
        description="Save the page as a PDF file.",
        arguments=PdfArguments,
        effect="capture",
        profiles=FULL_ONLY,
        operation=Operation(execute=print_page, render=render_pdf),
    ),
)
