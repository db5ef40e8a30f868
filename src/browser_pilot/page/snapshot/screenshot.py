"""Screenshots of a page or an element, scaled for a model or in full resolution, and the page as a PDF."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from browser_pilot.errors import ElementNotActionable, InvalidArgument, StaleRef
from browser_pilot.home import write_private
from browser_pilot.page.actions.resolve import ElementArgument, Target, resolve, stale_error
from browser_pilot.page.cdp import send
from browser_pilot.page.frames import Frame
from browser_pilot.page.playwright_errors import translated
from browser_pilot.page.tab import Tab

from .image_size import image_size
from .picture_layout import Region, layout_for_file, layout_for_model

ImageFormat = Literal["png", "jpeg", "webp"]
LABEL_TIMEOUT_MS = 10_000
MAX_FILE_NAME_BYTES = 200
MARGIN_PIXELS = 24
MAX_PREVIEW_PIXELS = 800
PREVIEW_TIMEOUT_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Picture:
    """One image of a region. Its pixel (px, py) shows the point (x + px / scale, y + py / scale) of the viewport.

    ``taken_at`` is in seconds since the epoch.
    """

    data: bytes
    width: int
    height: int
    scale: float
    x: float
    y: float
    taken_at: float


@dataclass(frozen=True, slots=True)
class Screenshot:
    """``height_left`` is what is missing at the end of the region, in CSS pixels."""

    pictures: tuple[Picture, ...]
    height_left: float
    is_legible: bool


async def screenshot(
    tab: Tab,
    *,
    element: ElementArgument | None,
    full_page: bool,
    image_format: ImageFormat,
    quality: int | None,
    labels: bool,
    full_resolution: bool = False,
) -> Screenshot:
    """Of the viewport, an element or the full page; in several pictures where one would be illegible."""
    if quality is not None and image_format == "png":
        raise InvalidArgument("PNG has no quality setting.", suggestions=['Use format "jpeg" or "webp" with quality.'])
    if element is not None and full_page:
        raise InvalidArgument("Give either `element` or `full_page`, not both.", suggestions=["Leave one out."])
    tab.dialogs.require_none()
    session = await tab.world.frames.main_session()
    metrics = await send(session, "Page.getLayoutMetrics")
    region = (
        await _element_region(tab, element, metrics)
        if element is not None
        else _page_region(metrics, full_page=full_page)
    )
    viewport = metrics["cssVisualViewport"]
    ratio = metrics["layoutViewport"]["clientWidth"] / max(metrics["cssLayoutViewport"]["clientWidth"], 1) or 1.0
    layout = (layout_for_file if full_resolution else layout_for_model)(region, ratio)
    options: dict[str, Any] = {"format": image_format, "captureBeyondViewport": full_page or element is not None}
    if quality is not None:
        options["quality"] = quality

    async def capture(part: Region) -> Picture:
        clip = {"x": part.x, "y": part.y, "width": part.width, "height": part.height, "scale": layout.scale / ratio}
        data = base64.b64decode((await send(session, "Page.captureScreenshot", clip=clip, **options))["data"])
        width, height = image_size(data)
        x, y = part.x - viewport["pageX"], part.y - viewport["pageY"]
        return Picture(data, width, height, layout.scale, x, y, time.time())

    with translated("Taking a screenshot"):
        async with _labelled(tab, wanted=labels), tab.secrets.masked():
            pictures = tuple([await capture(part) for part in layout.parts])
    return Screenshot(pictures, layout.left, layout.is_legible)


async def pdf(tab: Tab) -> bytes:
    tab.dialogs.require_none()
    with translated("Making a PDF"):
        async with tab.secrets.masked():
            return await tab.page.pdf(print_background=True)


def _page_region(metrics: dict[str, Any], *, full_page: bool) -> Region:
    if full_page:
        size = metrics["cssContentSize"]
        return Region(0, 0, size["width"], size["height"])
    viewport = metrics["cssVisualViewport"]
    return Region(viewport["pageX"], viewport["pageY"], viewport["clientWidth"], viewport["clientHeight"])


async def element_preview(tab: Tab, target: Target) -> bytes:
    """A small screenshot of one element with a margin, for an action preview."""
    session = await tab.world.frames.main_session()
    metrics = await send(session, "Page.getLayoutMetrics")
    region = await _target_region(tab, target, metrics)
    padded = Region(
        max(0, region.x - MARGIN_PIXELS),
        max(0, region.y - MARGIN_PIXELS),
        min(region.width, MAX_PREVIEW_PIXELS) + 2 * MARGIN_PIXELS,
        min(region.height, MAX_PREVIEW_PIXELS) + 2 * MARGIN_PIXELS,
    )
    clip = {"x": padded.x, "y": padded.y, "width": padded.width, "height": padded.height, "scale": 1}
    with translated("Taking a screenshot"):
        async with asyncio.timeout(PREVIEW_TIMEOUT_SECONDS), tab.secrets.masked():
            response = await send(
                session, "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
            )
    return base64.b64decode(response["data"])


async def _element_region(tab: Tab, element: ElementArgument, metrics: dict[str, Any]) -> Region:
    return await _target_region(tab, await resolve(tab, element), metrics)


async def _target_region(tab: Tab, target: Target, metrics: dict[str, Any]) -> Region:
    box = await tab.world.call(target.frame, "viewportBox", target.ref, repeatable=True)
    if box is None:
        raise await stale_error(tab.world, target)
    x, y, width, height = cast("list[float]", box)
    if width <= 0 or height <= 0:
        raise ElementNotActionable(f"{target.description} has no size, so there is nothing to capture.")
    x, y = await _to_viewport(tab, target.frame, x, y)
    viewport = metrics["cssVisualViewport"]
    return Region(x + viewport["pageX"], y + viewport["pageY"], width, height)


async def _to_viewport(tab: Tab, frame: Frame, x: float, y: float) -> tuple[float, float]:
    """A point of a frame as a point of the main frame's viewport."""
    frames = {frame.number: frame for frame in await tab.world.live_frames()}
    while frame.parent is not None:
        parent = frames[frame.parent]
        converted = await tab.world.call(parent, "toParentPoint", frame.number, {"x": x, "y": y}, repeatable=True)
        if converted is None:
            raise StaleRef("The frame of the element is gone.", suggestions=["Take a new browser_snapshot."])
        point = cast("dict[str, float]", converted)
        x, y, frame = point["x"], point["y"], parent
    return x, y


@asynccontextmanager
async def _labelled(tab: Tab, *, wanted: bool) -> AsyncGenerator[None]:
    """Show refs over the actionable elements meanwhile."""
    if not wanted:
        yield
        return
    refs = [row.ref for row in (await tab.snapshots.full(timeout_ms=LABEL_TIMEOUT_MS)).all_rows() if row.actionable]
    try:
        for frame in await tab.world.live_frames():
            mine = [ref for ref in refs if ref.startswith(frame.prefix)]
            await tab.world.call(frame, "showLabels", mine, repeatable=True)
        yield
    finally:
        await tab.world.call_everywhere("removeLabels")


def save_file(folder: Path, name: str, data: bytes) -> Path:
    """Write a file into the folder; a name that leads elsewhere is refused."""
    if Path(name).name != name or name in ("", ".", "..") or "\x00" in name or len(name.encode()) > MAX_FILE_NAME_BYTES:
        raise InvalidArgument(
            f"path = {name!r}: must be a file name without a folder.", suggestions=[f"Files are kept in {folder}."]
        )
    path = folder / name
    write_private(path, data)
    return path
