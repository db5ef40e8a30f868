"""Text that nobody can see is marked in snapshots and DOM trees, and left out of page content; screenshots decide."""

from __future__ import annotations

from playwright.async_api import Page

from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.content import read_content
from browser_pilot.page.snapshot.dom_tree import take_dom_tree
from browser_pilot.page.snapshot.search import search_rows
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.conftest import Sites

SCREEN_READER_ONLY = "position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip: rect(0,0,0,0)"
CONCEALED = {
    "opacity": "<p style='opacity: 0'>§</p>",
    "opacity of an ancestor": "<div style='opacity: 0'><section><p>§</p></section></div>",
    "filter": "<p style='filter: opacity(0)'>§</p>",
    "filter of an ancestor": "<div style='filter: blur(1px) opacity(0%)'><p>§</p></div>",
    "mask": "<p style='mask-image: linear-gradient(transparent, transparent)'>§</p>",
    "off screen": "<p style='position: absolute; left: -9999px'>§</p>",
    "off screen by a margin": "<p style='margin-left: -9999px'>§</p>",
    "off screen by a transform": "<p style='transform: translateX(-9999px)'>§</p>",
    "off screen, relative": "<p style='position: relative; left: -9999px'>§</p>",
    "above the screen": "<p style='position: absolute; top: -9999px'>§</p>",
    "indented": "<p style='text-indent: -9999px'>§</p>",
    "tiny": "<p style='font-size: 1px'>§</p>",
    "without a font size": "<p>seen <span style='font-size: 0'>§</span></p>",
    "screen reader only": f"<p style='{SCREEN_READER_ONLY}'>§</p>",
    "clipped to a pixel": "<p style='position: absolute; clip: rect(1px, 1px, 1px, 1px)'>§</p>",
    "clip path": "<p style='clip-path: inset(50%)'>§</p>",
    "clip path, uneven": "<p style='clip-path: inset(0 100% 0 0)'>§</p>",
    "clip path, circle": "<p style='clip-path: circle(0)'>§</p>",
    "clip path, polygon": "<p style='clip-path: polygon(0 0, 0 0, 0 0)'>§</p>",
    "clip path, inline": "<p>seen <span style='display: inline-block; clip-path: inset(100%)'>§</span></p>",
    "without a height": "<div style='height: 0; overflow: hidden'>§</div>",
    "without a width": "<div style='width: 0; overflow: hidden; white-space: nowrap'>§</div>",
    "folded": "<div style='max-height: 0; overflow: hidden'><p>§</p></div>",
    "scaled to nothing": "<p style='transform: scale(0)'>§</p>",
    "scaled by the property": "<p style='scale: 0'>§</p>",
    "turned away": "<p style='transform: rotateY(90deg)'>§</p>",
    "transparent": "<p style='color: transparent'>§</p>",
    "transparent fill": "<p style='-webkit-text-fill-color: transparent'>§</p>",
    "almost transparent": "<p style='color: rgba(0, 0, 0, 0.01)'>§</p>",
    "same colour": "<p style='color: white'>§</p>",
    "same colour as an ancestor": "<div style='background: #123456'><p><b style='color: #123456'>§</b></p></div>",
    "nearly the same colour": "<p style='color: #fdfdfd'>§</p>",
    "behind": "<div style='background: white'><p style='position: relative; z-index: -1'>§</p></div>",
    "invisible": "<p style='visibility: hidden'>§</p>",
    "not displayed": "<p style='display: none'>§</p>",
    "hidden": "<p hidden>§</p>",
    "collapsed": "<p style='visibility: collapse'>§</p>",
}  # fmt: skip
SEEN = {
    "plain": "<p>§</p>",
    "grey": "<p style='color: #999'>§</p>",
    "light": "<p style='color: #ddd'>§</p>",
    "translucent": "<p style='opacity: .5'>§</p>",
    "a filter": "<p style='filter: opacity(0.5) grayscale(1)'>§</p>",
    "a mask": "<p style='mask-image: linear-gradient(black, transparent)'>§</p>",
    "a gradient in the text": (
        "<p style='background: linear-gradient(red, blue); -webkit-background-clip: text; color: transparent'>§</p>"
    ),
    "a shadow": "<p style='color: white; text-shadow: 1px 1px 2px black'>§</p>",
    "a stroke": "<p style='-webkit-text-fill-color: transparent; -webkit-text-stroke: 1px black'>§</p>",
    "white on a picture": (
        "<div style='background: linear-gradient(navy, navy)'><p style='color: white; margin: 0'>§</p></div>"
    ),
    "white over an image": (
        "<div style='position: relative'><img src='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22>"
        "<rect width=%22999%22 height=%22999%22/></svg>' style='position: absolute; width: 300px; height: 30px'>"
        "<p style='color: white; position: relative'>§</p></div>"
    ),
    "white over a positioned box": (
        "<div style='position: relative'><div style='position: absolute; inset: 0; background: navy'></div>"
        "<p style='color: white; position: relative'>§</p></div>"
    ),
    "clipped in part": "<p style='clip-path: inset(10% 0)'>§</p>",
    "scaled": "<p style='transform: scale(.9)'>§</p>",
    "moved": "<p style='position: relative; left: 20px'>§</p>",
    "a negative z-index on the page itself": "<p style='position: relative; z-index: -1'>§</p>",
    "a small box that overflows": "<div style='width: 0; height: 0; white-space: nowrap'>§</div>",
}  # fmt: skip
FORMS = {**CONCEALED, **SEEN}
# They leave some pixels of almost the same colour.
ALMOST_CONCEALED = {"tiny", "almost transparent", "nearly the same colour", "same colour as an ancestor"}
NOT_RENDERED = {"invisible", "not displayed", "hidden", "collapsed"}


def text_of(name: str) -> str:
    return f"Word{list(FORMS).index(name)}x"


async def open_forms(page: Page, sites: Sites) -> World:
    boxes = "".join(
        f"<div class=form style='position: relative; height: 60px'>{html.replace('§', text_of(name))}</div>"
        for name, html in FORMS.items()
    )
    await page.goto(sites.add("forms", f"<title>Forms</title><body style='margin: 0 0 0 400px'>{boxes}"))
    return World(page)


async def test_what_is_concealed_is_what_a_screenshot_does_not_show(page: Page, sites: Sites) -> None:
    """The lists of this module are right: without their text, concealed forms look the same, the others do not."""
    await open_forms(page, sites)

    async def pictures() -> list[bytes]:
        boxes = [await box.bounding_box() for box in await page.locator(".form").all()]
        return [
            await page.screenshot(clip={**box, "x": 0, "width": 1000}, full_page=True, type="png")
            for box in boxes
            if box is not None
        ]

    before = await pictures()
    await page.evaluate(
        """() => { for (const form of document.querySelectorAll('.form')) {
          const texts = document.createTreeWalker(form, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/Word\\d+x/, '\\u00a0');
        } }"""
    )
    after = await pictures()
    looks_concealed = {name for name, one, other in zip(FORMS, before, after, strict=True) if one == other}
    assert looks_concealed - ALMOST_CONCEALED == set(CONCEALED) - ALMOST_CONCEALED


async def test_a_snapshot_and_a_search_mark_concealed_text_and_nothing_else(page: Page, sites: Sites) -> None:
    snapshot = await take_snapshot(await open_forms(page, sites))
    for name in FORMS:
        rows = [row for row in snapshot.all_rows() if text_of(name) in str(row)]
        marked = [bool({"hidden", "offscreen"} & set(row.states)) for row in rows]
        expected = [] if name in NOT_RENDERED else [name in CONCEALED]
        assert marked == expected, (name, rows)
    found = await search_rows(snapshot, query=text_of("same colour"), context_rows=0)
    assert [row.states for row in found.snapshot.rows] == [("hidden",)]


async def test_a_dom_tree_marks_concealed_text_and_nothing_else(page: Page, sites: Sites) -> None:
    tree = await take_dom_tree(await open_forms(page, sites))
    for name in FORMS:
        lines = [line for line in tree.lines() if f'"{text_of(name)}"' in line]
        marked = [line.endswith(("(hidden)", "(offscreen)")) for line in lines]
        assert marked == ([] if name in NOT_RENDERED else [name in CONCEALED]), (name, lines)


async def test_content_leaves_concealed_text_out_and_says_how_much(page: Page, sites: Sites) -> None:
    reading = await read_content(await open_forms(page, sites), scope="page")
    assert [name for name in CONCEALED if text_of(name) in reading.text] == []
    assert [name for name in SEEN if text_of(name) not in reading.text] == []
    counted = set(CONCEALED) - {"not displayed", "hidden"}
    assert reading.concealed_texts == len(counted)
    assert reading.concealed_characters == sum(len(text_of(name)) for name in counted)


async def test_content_has_concealed_text_with_a_mark_if_requested(page: Page, sites: Sites) -> None:
    reading = await read_content(await open_forms(page, sites), scope="page", format="text", concealed=True)
    assert reading.concealed_texts == 0
    for name in set(CONCEALED) - {"not displayed", "hidden"}:
        assert f"[concealed: {text_of(name)}]" in reading.text, name
    for name in SEEN:
        assert text_of(name) in reading.text and f"[concealed: {text_of(name)}]" not in reading.text
