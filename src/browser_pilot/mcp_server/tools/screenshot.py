"""Screenshots, and the page as a PDF."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ImageData, ToolResult
from browser_pilot.mcp_server.tool_schema import LISTED_IN_FULL, TabArguments
from browser_pilot.page.snapshot.screenshot import ImageFormat, Picture, Screenshot, pdf, save_file, screenshot

from .arguments import ElementField
from .log_page import local_time
from .page_result import page_data

# The viewport's point, for actions, that a pixel (px, py) of a picture shows.
POINT_FORMULA = "x + px / scale, y + py / scale"
CUT_NOTE = "The end is missing: scroll there, or save everything with `path`."
ILLEGIBLE_NOTE = "Text may be illegible at this scale: capture an `element`, or save with `path`."


class ScreenshotArguments(TabArguments):
    element: ElementField | None = None
    full_page: bool = False
    format: ImageFormat = "png"
    quality: Annotated[int | None, Field(ge=1, le=100, json_schema_extra=LISTED_IN_FULL)] = None
    labels: Annotated[bool, Field(description="draw refs")] = False
    path: str | None = None


async def take_screenshot(context: ToolContext, arguments: ScreenshotArguments) -> Screenshot:
    return await screenshot(
        context.tab,
        element=arguments.element,
        full_page=arguments.full_page,
        image_format=arguments.format,
        quality=arguments.quality,
        labels=arguments.labels,
        full_resolution=arguments.path is not None,
    )


async def render_screenshot(context: ToolContext, arguments: ScreenshotArguments, taken: Screenshot) -> ToolResult:
    data = {**await page_data(context.tab), "taken_at": local_time(taken.pictures[0].taken_at)}
    rows = [_facts(picture) for picture in taken.pictures]
    if arguments.path is not None:
        names = _file_names(arguments.path, len(rows))
        rows = [
            {**_save(context, name, picture.data), **facts}
            for name, picture, facts in zip(names, taken.pictures, rows, strict=True)
        ]
    data |= rows[0] if len(rows) == 1 else {"pictures": rows}
    data["viewport_point"] = POINT_FORMULA
    if taken.height_left:
        data["height_left"] = round(taken.height_left)
        data["note"] = CUT_NOTE
    elif not taken.is_legible:
        data["note"] = ILLEGIBLE_NOTE
    if arguments.path is not None:
        return ToolResult(data)
    return ToolResult(data, tuple(ImageData(picture.data, f"image/{arguments.format}") for picture in taken.pictures))


def _facts(picture: Picture) -> dict[str, object]:
    return {
        "width": picture.width,
        "height": picture.height,
        "scale": round(picture.scale, 4),
        "x": round(picture.x, 1),
        "y": round(picture.y, 1),
    }


def _file_names(name: str, count: int) -> list[str]:
    """``page.png``, or ``page-1.png``, ``page-2.png``, …"""
    if count == 1:
        return [name]
    stem, dot, extension = name.rpartition(".")
    return [f"{stem if dot else extension}-{number}{dot}{extension if dot else ''}" for number in range(1, count + 1)]


class PdfArguments(TabArguments):
    path: str | None = None


async def print_page(context: ToolContext, _: PdfArguments) -> bytes:
    return await pdf(context.tab)


async def render_pdf(context: ToolContext, arguments: PdfArguments, document: bytes) -> ToolResult:
    return await _saved(context, arguments.path or f"{time.time_ns() // 1_000_000}.pdf", document)


async def _saved(context: ToolContext, name: str, data: bytes) -> ToolResult:
    return ToolResult({**await page_data(context.tab), **_save(context, name, data)})


def _save(context: ToolContext, name: str, data: bytes) -> dict[str, object]:
    path = save_file(context.settings.files.screenshot_dir, context.redactor.filename(name), data)
    return {"path": str(path), "bytes": len(data)}


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
