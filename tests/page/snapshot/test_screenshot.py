"""Screenshots: their size for a model, their region, and where files are written."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest

from browser_pilot.errors import ElementNotActionable, InvalidArgument
from browser_pilot.page.snapshot.screenshot import MAX_AREA_PIXELS, MAX_SIDE_PIXELS, Region, save_file, screenshot
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show


def png_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", data[16:24])
    return int(width), int(height)


async def png(tab: Tab, element: str | None = None, *, full_page: bool = False, labels: bool = False) -> bytes:
    return await screenshot(tab, element=element, full_page=full_page, image_format="png", quality=None, labels=labels)


@pytest.mark.parametrize(
    ("width", "height"), [(100, 100), (1280, 720), (4_000, 100), (100, 40_000), (3_000, 3_000), (0, 0)]
)
def test_a_region_is_scaled_to_what_a_model_uses_and_never_enlarged(width: float, height: float) -> None:
    scale = Region(0, 0, width, height).scale
    assert 0 < scale <= 1
    assert max(width, height) * scale <= MAX_SIDE_PIXELS + 0.01
    assert width * height * scale**2 <= MAX_AREA_PIXELS + 1


async def test_a_screenshot_shows_the_viewport_an_element_or_the_full_page(show: Show) -> None:
    tab = await show("<body style='margin:0;height:1400px'><div id=box style='width:200px;height:90px'>Box</div>")
    assert png_size(await png(tab)) == (1280, 720)
    assert png_size(await png(tab, "#box")) == (200, 90)
    width, height = png_size(await png(tab, full_page=True))
    assert height > width * 1.05


async def test_labels_are_on_the_screenshot_and_removed_afterwards(show: Show) -> None:
    tab = await show("<button>Go</button>")
    plain = await png(tab)
    assert await png(tab, labels=True) != plain
    assert await tab.page.evaluate("document.documentElement.children.length") == 2
    assert await png(tab) == plain


async def test_an_element_without_a_size_cannot_be_captured(show: Show) -> None:
    tab = await show("<div id=flat></div><p>Text</p>")
    with pytest.raises(ElementNotActionable, match="no size"):
        await png(tab, "#flat")


@pytest.mark.parametrize("name", ["../out.png", "a/b.png", "", ".", "..", "a\x00b", "x" * 300, "é" * 150])
def test_a_file_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgument, match="file name"):
        save_file(tmp_path / "shots", name, b"data")
    assert not (tmp_path / "shots").exists()


def test_a_file_is_written_into_its_folder(tmp_path: Path) -> None:
    path = save_file(tmp_path / "shots", "one.png", b"data")
    assert path == tmp_path / "shots" / "one.png" and path.read_bytes() == b"data"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_file_is_private_and_replaces_a_link_instead_of_following_it(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"kept")
    (tmp_path / "shots").mkdir(mode=0o755)
    (tmp_path / "shots" / "one.png").symlink_to(elsewhere)
    old = os.umask(0)
    try:
        path = save_file(tmp_path / "shots", "one.png", b"data")
    finally:
        os.umask(old)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert elsewhere.read_bytes() == b"kept" and path.read_bytes() == b"data"
