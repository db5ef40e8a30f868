"""Screenshots: their size for a model, their region, and where files are written."""

from __future__ import annotations

import base64
import os
import re
import stat
import struct
from pathlib import Path

import pytest

from browser_pilot.errors import ElementNotActionable, InvalidArgument
from browser_pilot.page.snapshot.image_size import image_size
from browser_pilot.page.snapshot.picture_layout import MAX_PICTURES, MIN_LEGIBLE_SCALE
from browser_pilot.page.snapshot.screenshot import ImageFormat, Screenshot, save_file, screenshot
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show


async def take(
    tab: Tab,
    element: str | None = None,
    *,
    full_page: bool = False,
    labels: bool = False,
    image_format: ImageFormat = "png",
    full_resolution: bool = False,
) -> Screenshot:
    return await screenshot(
        tab,
        element=element,
        full_page=full_page,
        image_format=image_format,
        quality=None,
        labels=labels,
        full_resolution=full_resolution,
    )


async def png(tab: Tab, element: str | None = None, *, full_page: bool = False, labels: bool = False) -> bytes:
    (picture,) = (await take(tab, element, full_page=full_page, labels=labels)).pictures
    return picture.data


def png_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", data[16:24])
    return int(width), int(height)


async def test_a_screenshot_shows_the_viewport_an_element_or_the_full_page(show: Show) -> None:
    tab = await show("<body style='margin:0;height:1400px'><div id=box style='width:200px;height:90px'>Box</div>")
    assert png_size(await png(tab)) == (1280, 720)
    assert png_size(await png(tab, "#box")) == (200, 90)
    width, height = png_size(await png(tab, full_page=True))
    assert height > width * 1.05


LONG = """<body style='margin:0'><script>
for (let n = 0; n < 240; n++) {
  const row = document.body.appendChild(document.createElement('p'));
  row.style.cssText = 'margin:0;height:50px;font:14px sans-serif;background:hsl(' + n * 1.5 + ' 80% 90%)';
  row.textContent = 'Row ' + n;
}
</script>"""


async def test_a_long_page_is_split_into_pictures_on_which_text_is_legible(show: Show) -> None:
    tab = await show(LONG)
    taken = await take(tab, full_page=True)
    assert 2 <= len(taken.pictures) <= MAX_PICTURES and not taken.height_left
    assert all(picture.scale >= MIN_LEGIBLE_SCALE for picture in taken.pictures)
    assert sum(picture.height / picture.scale for picture in taken.pictures) == pytest.approx(12_000, abs=6)
    assert len({picture.data for picture in taken.pictures}) == len(taken.pictures)


async def test_a_picture_reports_its_size_and_the_viewport_point_of_its_first_pixel(show: Show) -> None:
    tab = await show(LONG + "<div id=box style='position:absolute;left:40px;top:3100px;width:200px;height:90px'>")
    await tab.page.evaluate("scrollTo(0, 3000)")
    (viewport,) = (await take(tab)).pictures
    assert (viewport.width, viewport.height, viewport.scale, viewport.x, viewport.y) == (1280, 720, 1, 0, 0)
    (box,) = (await take(tab, "#box")).pictures
    assert (box.width, box.height, box.x, box.y) == (200, 90, 40, 100)
    first, second = (await take(tab, full_page=True)).pictures[:2]
    assert first.y == -3000 and second.y == pytest.approx(-3000 + first.height / first.scale, abs=1)


async def test_a_saved_picture_has_full_resolution_to_the_end_of_the_page(show: Show) -> None:
    tab = await show(LONG)
    taken = await take(tab, full_page=True, full_resolution=True)
    assert sum(picture.height for picture in taken.pictures) == 12_000
    assert {picture.scale for picture in taken.pictures} == {1}
    # The browser would repeat or leave out what it cannot paint in one piece.
    assert await color_at(tab, taken.pictures[-1].data, from_bottom=25) == await color_of_last_row(tab)


async def color_at(tab: Tab, image: bytes, *, from_bottom: int) -> list[int]:
    """The colour at the right edge of an image."""
    script = """async ([source, fromBottom]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return [...canvas.getImageData(image.width - 30, image.height - fromBottom, 1, 1).data];
    }"""
    source = f"data:image/png;base64,{base64.b64encode(image).decode()}"
    return list(await tab.page.evaluate(script, [source, from_bottom]))


async def color_of_last_row(tab: Tab) -> list[int]:
    color = str(await tab.page.evaluate("getComputedStyle(document.body.lastElementChild).backgroundColor"))
    return [*map(int, re.findall(r"\d+", color)), 255]


@pytest.mark.parametrize("image_format", ["png", "jpeg", "webp"])
async def test_the_size_of_an_image_is_read_from_its_header(show: Show, image_format: ImageFormat) -> None:
    tab = await show("<div id=box style='width:201px;height:97px'>Box</div>")
    (picture,) = (await take(tab, "#box", image_format=image_format)).pictures
    assert image_size(picture.data) == (picture.width, picture.height) == (201, 97)


def test_what_is_no_image_has_no_size() -> None:
    for data in (b"", b"\x89PNG", b"\xff\xd8\xff", b"RIFF____WEBPVP8 ", b"hello"):
        assert image_size(data) == (0, 0)


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
