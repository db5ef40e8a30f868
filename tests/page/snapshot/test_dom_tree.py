"""The indexed DOM tree: rendered elements with their boxes, each named by an index."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page

from browser_pilot.errors import ElementNotFound
from browser_pilot.page.actions.selectors import Elements, Selector
from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.dom_tree import take_dom_tree
from tests.page.conftest import Sites

PAGE = """<body style="margin: 0"><title>Tree</title><div><div>
<img alt="Logo" src="logo.png" style="position: absolute; left: 10px; top: 10px; width: 200px; height: 50px">
</div></div><video src="v.mp4"></video><p>Words <a href="x">link</a></p><div style="display: none">unseen</div>
<iframe src="http://b.test:{port}/frame_inside.html"></iframe></body>"""


async def test_the_tree_has_media_text_controls_and_frames_with_their_boxes(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("tree", PAGE))
    lines = (await take_dom_tree(World(page))).lines()
    assert any(re.fullmatch(r'\s*\[\d+\] img "Logo" @\(10,10,200,50\)', line) for line in lines)
    text = "\n".join(lines)
    for part in ("video", 'p "Words"', 'a "link"', 'h2 "Inside the frame"', 'button "Press"'):
        assert part in text
    assert "unseen" not in text and "div" not in text
    button = next(line for line in lines if "Press" in line)
    iframe = next(line for line in lines if "iframe" in line)
    assert len(button) - len(button.lstrip()) > len(iframe) - len(iframe.lstrip())


async def test_an_index_names_its_element(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("tree", PAGE))
    world = World(page)
    tree = await take_dom_tree(world)
    index = next(index for index, node in enumerate(tree.nodes) if node.name == "Press")
    element = await Elements(world).resolve(Selector(ref=tree.ref(index)))
    assert element.frame.url == sites.url("frame_inside.html", "b")
    with pytest.raises(ElementNotFound, match="out of range"):
        tree.ref(len(tree.nodes))


async def test_a_limit_on_nodes_says_how_many_are_left(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("many", "<p>x</p>" * 50))
    tree = await take_dom_tree(World(page), max_nodes=20)
    assert (len(tree.nodes), tree.nodes_left) == (20, 30)
