"""How a region of a page becomes pictures: their scale, and into how many it is split. Pure.

A model scales a picture down to a certain size. A long page in one picture would become illegible, so it is split.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Models scale images down to about this size; more pixels cost tokens and add no detail.
MAX_SIDE_PIXELS = 1_568
MAX_AREA_PIXELS = 1_200_000
# Text of a usual size is legible down to this scale.
MIN_LEGIBLE_SCALE = 0.65
# A split must gain so much to be worth its tokens.
MIN_GAIN = 1.3
MAX_PICTURES = 6
# Browsers paint no larger surface in one piece.
MAX_FILE_SIDE_PIXELS = 8_000
MAX_FILES = 40


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the document, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def scale(self) -> float:
        """The factor that keeps the image within the size that a model uses, and does not enlarge it."""
        return self.scale_for(1)

    def scale_for(self, pixel_ratio: float) -> float:
        """The same, for a device of ``pixel_ratio`` pixels to a CSS pixel."""
        by_side = MAX_SIDE_PIXELS / max(self.width, self.height, 1)
        by_area = (MAX_AREA_PIXELS / max(self.width * self.height, 1)) ** 0.5
        return min(pixel_ratio, by_side, by_area)

    def split(self, height: float) -> tuple[Region, ...]:
        """The region in equal parts of at most this height, from its top."""
        count = max(1, math.ceil(self.height / height - 1e-6))
        part = self.height / count
        return tuple(Region(self.x, self.y + part * index, self.width, part) for index in range(count))


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of a region that are captured, each as one picture, with ``scale`` pixels to a CSS pixel.

    ``left`` is the height in CSS pixels that is left out at the end.
    """

    parts: tuple[Region, ...]
    scale: float
    left: float = 0

    @property
    def is_legible(self) -> bool:
        return self.scale >= MIN_LEGIBLE_SCALE * 0.75


def layout_for_model(region: Region, pixel_ratio: float = 1) -> Layout:
    """One picture if its text stays legible, otherwise several below each other."""
    fitting = region.scale_for(pixel_ratio)
    scale = min(pixel_ratio, MIN_LEGIBLE_SCALE, MAX_SIDE_PIXELS / max(region.width, 1))
    if fitting >= MIN_LEGIBLE_SCALE or scale < fitting * MIN_GAIN:
        return Layout((region,), fitting)
    height = min(MAX_SIDE_PIXELS, MAX_AREA_PIXELS / max(region.width * scale, 1)) / scale
    return _bounded(region.split(height), scale, MAX_PICTURES)


def layout_for_file(region: Region, pixel_ratio: float = 1) -> Layout:
    """Full resolution, in as many files as the browser needs."""
    scale = min(pixel_ratio, MAX_FILE_SIDE_PIXELS / max(region.width, 1))
    return _bounded(region.split(MAX_FILE_SIDE_PIXELS / scale), scale, MAX_FILES)


def _bounded(parts: tuple[Region, ...], scale: float, limit: int) -> Layout:
    return Layout(parts[:limit], scale, sum(part.height for part in parts[limit:]))
