"""Pictures of a page or of an element."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..errors import InvalidArgument
from ..home import make_private_folder
from .elements import Element, locate
from .playwright_errors import translated
from .tab import Tab

PictureFormat = Literal["png", "jpeg"]


async def screenshot(
    tab: Tab,
    *,
    element: Element | None,
    full_page: bool,
    picture_format: PictureFormat,
    quality: int | None,
    timeout_ms: int,
) -> bytes:
    if quality is not None and picture_format == "png":
        raise InvalidArgument("A png has no quality.", suggestions=['Use format "jpeg" with quality.'])
    if element is not None:
        if full_page:
            raise InvalidArgument("Give either `element` or `full_page`, not both.")
        locator = await locate(tab, element)
        with translated("Taking a screenshot"):
            return await locator.screenshot(type=picture_format, quality=quality, timeout=timeout_ms)
    with translated("Taking a screenshot"):
        return await tab.page.screenshot(type=picture_format, quality=quality, full_page=full_page, timeout=timeout_ms)


def save_picture(folder: Path, name: str, data: bytes) -> Path:
    """Write a picture into the screenshot folder, and nowhere else."""
    if Path(name).name != name or name in (".", ".."):
        raise InvalidArgument(
            f"path = {name!r}: only a file name is taken.",
            suggestions=[f"Pictures are kept in {folder} (files.screenshot_dir)."],
        )
    path = make_private_folder(folder) / name
    path.write_bytes(data)
    return path
