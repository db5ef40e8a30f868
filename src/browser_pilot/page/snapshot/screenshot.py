"""Screenshots of a page or an element, scaled for a model, and the page as a PDF."""

from __future__ import annotations

import asyncio
import base64
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

ImageFormat = Literal["png", "jpeg", "webp"]
# Models scale images down to about this size; more pixels cost tokens and add no detail.
MAX_SIDE_PIXELS = 1_568
MAX_AREA_PIXELS = 1_200_000
LABEL_TIMEOUT_MS = 10_000
MAX_FILE_NAME_BYTES = 200
MARGIN_PIXELS = 24
MAX_PREVIEW_PIXELS = 800
PREVIEW_TIMEOUT_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the document, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def scale(self) -> float:
        """The factor that keeps the image within the size that a model uses."""
        by_side = MAX_SIDE_PIXELS / max(self.width, self.height, 1)
        by_area = (MAX_AREA_PIXELS / max(self.width * self.height, 1)) ** 0.5
        return min(1.0, by_side, by_area)


async def screenshot(
    tab: Tab,
    *,
    element: ElementArgument | None,
    full_page: bool,
    image_format: ImageFormat,
    quality: int | None,
    labels: bool,
) -> bytes:
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
    clip = {"x": region.x, "y": region.y, "width": region.width, "height": region.height, "scale": region.scale}
    options: dict[str, Any] = {"quality": quality} if quality is not None else {}
    with translated("Taking a screenshot"):
        async with _labelled(tab, wanted=labels), tab.secrets.masked():
            response = await send(
                session,
                "Page.captureScreenshot",
                format=image_format,
                clip=clip,
                captureBeyondViewport=full_page or element is not None,
                **options,
            )
    return base64.b64decode(response["data"])


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
