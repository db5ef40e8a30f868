"""Pictures of a page or of an element, small enough for a model to look at, and the page as a PDF."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from browser_pilot.errors import ElementNotActionable, InvalidArgument, StaleRef
from browser_pilot.home import make_private_folder
from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.playwright_errors import translated
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find, lost

PictureFormat = Literal["png", "jpeg", "webp"]
# Models see a picture at about this size and charge by its area; more is paid for and not seen.
LONGEST_SIDE = 1_568
LARGEST_AREA = 1_200_000
LABEL_MS = 10_000
LONGEST_FILE_NAME = 200
AROUND_PIXELS = 24
LARGEST_SHOWN = 800
PICTURE_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the document, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def scale(self) -> float:
        """How much smaller the picture must be to stay within what a model looks at."""
        by_side = LONGEST_SIDE / max(self.width, self.height, 1)
        by_area = (LARGEST_AREA / max(self.width * self.height, 1)) ** 0.5
        return min(1.0, by_side, by_area)


async def screenshot(
    tab: Tab,
    *,
    element: ElementArgument | None,
    full_page: bool,
    picture_format: PictureFormat,
    quality: int | None,
    labels: bool,
) -> bytes:
    if quality is not None and picture_format == "png":
        raise InvalidArgument("A png has no quality.", suggestions=['Use format "jpeg" or "webp" with quality.'])
    if element is not None and full_page:
        raise InvalidArgument("Give either `element` or `full_page`, not both.", suggestions=["Leave one out."])
    tab.dialogs.require_none()
    session = await tab.world.frames.main_session()
    metrics = await send(session, "Page.getLayoutMetrics")
    region = await _of_element(tab, element, metrics) if element is not None else _of_page(metrics, full_page=full_page)
    clip = {"x": region.x, "y": region.y, "width": region.width, "height": region.height, "scale": region.scale}
    options: dict[str, Any] = {"quality": quality} if quality is not None else {}
    with translated("Taking a screenshot"):
        async with _labelled(tab, wanted=labels):
            answer = await send(
                session,
                "Page.captureScreenshot",
                format=picture_format,
                clip=clip,
                captureBeyondViewport=full_page or element is not None,
                **options,
            )
    return base64.b64decode(answer["data"])


async def pdf(tab: Tab) -> bytes:
    tab.dialogs.require_none()
    with translated("Making a PDF"):
        return await tab.page.pdf(print_background=True)


def _of_page(metrics: dict[str, Any], *, full_page: bool) -> Region:
    if full_page:
        size = metrics["cssContentSize"]
        return Region(0, 0, size["width"], size["height"])
    seen = metrics["cssVisualViewport"]
    return Region(seen["pageX"], seen["pageY"], seen["clientWidth"], seen["clientHeight"])


async def picture_of(tab: Tab, target: Target) -> bytes:
    """A small picture of one element with a little around it, for a person to know it by."""
    session = await tab.world.frames.main_session()
    metrics = await send(session, "Page.getLayoutMetrics")
    part = await _of_target(tab, target, metrics)
    around = Region(
        max(0, part.x - AROUND_PIXELS),
        max(0, part.y - AROUND_PIXELS),
        min(part.width, LARGEST_SHOWN) + 2 * AROUND_PIXELS,
        min(part.height, LARGEST_SHOWN) + 2 * AROUND_PIXELS,
    )
    clip = {"x": around.x, "y": around.y, "width": around.width, "height": around.height, "scale": 1}
    with translated("Taking a picture"):
        async with asyncio.timeout(PICTURE_SECONDS):
            answer = await send(session, "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    return base64.b64decode(answer["data"])


async def _of_element(tab: Tab, element: ElementArgument, metrics: dict[str, Any]) -> Region:
    return await _of_target(tab, await find(tab, element), metrics)


async def _of_target(tab: Tab, target: Target, metrics: dict[str, Any]) -> Region:
    answer = await tab.world.call(target.frame, "boxOf", target.ref, repeatable=True)
    if answer is None:
        raise await lost(tab.world, target)
    x, y, width, height = cast("list[float]", answer)
    if width <= 0 or height <= 0:
        raise ElementNotActionable(f"{target.words} has no size: there is nothing to take a picture of.")
    x, y = await _outward(tab, target.frame, x, y)
    seen = metrics["cssVisualViewport"]
    return Region(x + seen["pageX"], y + seen["pageY"], width, height)


async def _outward(tab: Tab, frame: Frame, x: float, y: float) -> tuple[float, float]:
    """A point of a frame as a point of the main frame's viewport."""
    frames = {frame.number: frame for frame in await tab.world.live_frames()}
    while frame.parent is not None:
        parent = frames[frame.parent]
        answer = await tab.world.call(parent, "outward", frame.number, {"x": x, "y": y}, repeatable=True)
        if answer is None:
            raise StaleRef("The frame of the element is gone.", suggestions=["Take a new browser_snapshot."])
        spot = cast("dict[str, float]", answer)
        x, y, frame = spot["x"], spot["y"], parent
    return x, y


@asynccontextmanager
async def _labelled(tab: Tab, *, wanted: bool) -> AsyncGenerator[None]:
    """Refs drawn over what can be acted on, while inside."""
    if not wanted:
        yield
        return
    refs = [row.ref for row in (await tab.sight.whole(timeout_ms=LABEL_MS)).things() if row.actionable]
    try:
        for frame in await tab.world.live_frames():
            mine = [ref for ref in refs if ref.startswith(frame.prefix)]
            await tab.world.call(frame, "label", mine, repeatable=True)
        yield
    finally:
        await tab.world.call_everywhere("unlabel")


def save_file(folder: Path, name: str, data: bytes) -> Path:
    """Write a file into the folder for it, and nowhere else."""
    if Path(name).name != name or name in ("", ".", "..") or "\x00" in name or len(name) > LONGEST_FILE_NAME:
        raise InvalidArgument(
            f"path = {name!r}: only a file name is taken.", suggestions=[f"Files are kept in {folder}."]
        )
    path = make_private_folder(folder) / name
    path.write_bytes(data)
    return path
