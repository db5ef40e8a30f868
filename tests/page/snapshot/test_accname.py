"""Our roles and accessible names equal those of Chromium's accessibility tree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page

from browser_pilot.page.cdp import send
from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.conftest import Sites

WIDGETS = {
    "button",
    "link",
    "checkbox",
    "radio",
    "switch",
    "tab",
    "menuitem",
    "option",
    "textbox",
    "searchbox",
    "combobox",
    "slider",
    "spinbutton",
    "treeitem",
}
# HTML fields without an ARIA role have roles of their own, in Chromium and here.
OURS = {"DateTime": "datetime", "Date": "date", "InputTime": "time", "ColorWell": "color"}


async def chromium_names(world: World) -> set[tuple[str, str]]:
    """Role and name of each widget in Chromium's accessibility tree."""
    frame = await world.main_frame()
    response = await send(frame.session, "Accessibility.getFullAXTree")
    nodes: list[dict[str, Any]] = response["nodes"]
    found: set[tuple[str, str]] = set()
    for node in nodes:
        role = str(node.get("role", {}).get("value", ""))
        role = OURS.get(role, role)
        if not node["ignored"] and role in WIDGETS:
            found.add((role, " ".join(str(node.get("name", {}).get("value", "")).split())))
    return found


NAMES = """
<button>Plain</button><button aria-label="Labelled">x</button><button title="Titled"></button>
<span id=a>First</span><span id=b>second</span><button aria-labelledby="a b">x</button>
<button><img alt="Picture" src=x> text</button><button><span hidden>no</span>yes</button>
<button>A<br>B</button><button><div>Block</div><div>wise</div></button><input type=submit><input type=reset>
<input type=button value=Value><input type=image alt=Image src=x>
<label for=c>For</label><input id=c><label>Around <input></label><input placeholder=Held><input title=Hint>
<label>Two</label><input aria-label="  Spaced   out "><textarea aria-label=Area></textarea>
<label for=d>One</label><label for=d>more</label><input id=d>
<input type=search aria-label=Search><input type=number aria-label=Number><input type=range aria-label=Range>
<input type=checkbox aria-label=Check><label><input type=radio> Radio</label>
<a href=x>Link</a><a href=x><img alt="Only" src=x></a><a href=x aria-label="Named">other</a><a>No link</a>
<a href=x><svg role=img aria-label="Drawn"></svg></a><a href=x><svg><title>Titled drawing</title></svg></a>
<select aria-label=Choice><option>One</option></select><div role=switch tabindex=0 aria-checked=true>Switch</div>
<div role=tablist><div role=tab tabindex=0>Tab</div></div><div role=button tabindex=0>Div <b>button</b></div>
<div role=menu><div role=menuitem tabindex=-1>Item</div></div>
<style>.g::before { content: "Gen " } .h::after { content: "!" }</style>
<button class=g>erated</button><a class=h href=x>Hey</a>
<div role=combobox aria-label=Combo tabindex=0 aria-expanded=false>
</div><input list=l aria-label=Listed><datalist id=l></datalist>
<button><span aria-label="Inner">x</span> tail</button><button aria-labelledby=e aria-label=Both id=e>Self</button>
<fieldset><legend>Group</legend><label><input type=checkbox> In group</label></fieldset>
<label>Quantity <input value=3 aria-label="Amount"> pieces</label>
<div role=slider tabindex=0 aria-label=Slide aria-valuenow=4></div>
"""


async def compare(page: Page) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    world = World(page)
    ours: set[tuple[str, str]] = set()
    for row in (await take_snapshot(world)).all_rows():
        # A fallback name is in parentheses, and so is visible text after the name.
        name = "" if row.name.startswith("(") else " ".join(row.name.split())
        ours |= {(row.role, name), (row.role, re.sub(r" \(.*\)$", "", name))}
    theirs = await chromium_names(world)
    return theirs - ours, theirs


async def test_widgets_have_the_names_that_chromium_gives_them(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("names", f"<!doctype html><title>Names</title>{NAMES}"))
    missing, theirs = await compare(page)
    assert len(theirs) > 40
    assert not {pair for pair in missing if pair[0] != "option"}


@pytest.mark.parametrize("file", ["mixed.html", "article.html"])
async def test_test_pages_have_the_names_that_chromium_gives(page: Page, sites: Sites, file: str) -> None:
    await page.goto(sites.url(file))
    missing, _ = await compare(page)
    assert not {pair for pair in missing if pair[0] != "option"}
