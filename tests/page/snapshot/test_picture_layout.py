"""Regions become pictures that a model can use: never enlarged, split where one picture would be illegible."""

from __future__ import annotations

import pytest

from browser_pilot.page.snapshot.picture_layout import (
    MAX_AREA_PIXELS,
    MAX_FILE_SIDE_PIXELS,
    MAX_PICTURES,
    MAX_SIDE_PIXELS,
    MIN_LEGIBLE_SCALE,
    Region,
    layout_for_file,
    layout_for_model,
)

SIZES = [(100, 100), (1280, 720), (1920, 1080), (4_000, 100), (100, 40_000), (3_000, 3_000), (0, 0), (1280, 230_000)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_region_is_scaled_to_what_a_model_uses_and_never_enlarged(width: float, height: float) -> None:
    scale = Region(0, 0, width, height).scale
    assert 0 < scale <= 1
    assert max(width, height) * scale <= MAX_SIDE_PIXELS + 0.01
    assert width * height * scale**2 <= MAX_AREA_PIXELS + 1


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("ratio", [1, 1.5, 3])
def test_each_picture_is_within_the_size_of_a_model(width: float, height: float, ratio: float) -> None:
    layout = layout_for_model(Region(5, 7, width, height), ratio)
    assert 1 <= len(layout.parts) <= MAX_PICTURES and layout.scale <= ratio
    for part in layout.parts:
        assert max(part.width, part.height) * layout.scale <= MAX_SIDE_PIXELS + 0.01
        assert part.width * part.height * layout.scale**2 <= MAX_AREA_PIXELS + 1
    assert layout.parts[0].y == 7
    assert sum(part.height for part in layout.parts) + layout.left == pytest.approx(height)


def test_a_region_that_is_legible_in_one_picture_is_not_split() -> None:
    for width, height in [(1280, 720), (1920, 1080), (1280, 1_500), (3_840, 2_160)]:
        assert len(layout_for_model(Region(0, 0, width, height)).parts) == 1


def test_a_long_page_stays_legible_and_its_rest_is_reported() -> None:
    whole = layout_for_model(Region(0, 0, 1280, 12_000))
    assert whole.scale >= MIN_LEGIBLE_SCALE and not whole.left
    cut = layout_for_model(Region(0, 0, 1280, 230_000))
    assert cut.scale >= MIN_LEGIBLE_SCALE and cut.left > 200_000


def test_a_file_has_full_resolution_in_parts_that_a_browser_can_paint() -> None:
    layout = layout_for_file(Region(0, 0, 1280, 12_000), 2)
    assert layout.scale == 2 and not layout.left
    assert all(part.height * layout.scale <= MAX_FILE_SIDE_PIXELS for part in layout.parts)
