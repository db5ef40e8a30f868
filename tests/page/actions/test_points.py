"""Points of the viewport as targets: the element there is resolved first and compared when it is acted on."""

from __future__ import annotations

import pytest

from browser_pilot.errors import ElementChanged, ElementNotFound, InvalidArgument
from browser_pilot.page.actions import mouse
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.selectors import ElementArgument
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import click, hover, scroll, type_text
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"
AT_TOP = "position:absolute;left:0;top:0;width:200px;height:100px"


async def test_a_click_at_a_point_hits_what_is_there_and_says_what_it_was(show: Show) -> None:
    tab = await show(
        f"{LOG}<button style='{AT_TOP}' onclick='note(`${{event.clientX}} ${{event.clientY}}`)'>"
        "<span>Save</span></button>"
    )
    outcome = await click(tab, {"x": 30, "y": 40})
    assert await tab.page.evaluate("log") == ["30 40"]
    assert outcome.facts()["hit"] == 'e1 button "Save"'


async def test_a_point_names_the_innermost_control_also_in_shadow_roots(show: Show) -> None:
    tab = await show(
        f"<x-card></x-card><script>customElements.define('x-card', class extends HTMLElement {{"
        "constructor() { super();"
        "this.attachShadow({mode: 'open'}).innerHTML ="
        f"`<button style='{AT_TOP}' onclick='this.textContent = 1'>Open</button>` }} }})</script>"
    )
    outcome = await click(tab, {"x": "50", "y": 50.0})
    assert outcome.facts()["hit"] == 'e1 button "Open"'


async def test_a_point_of_a_canvas_is_clicked_where_it_was_named(show: Show) -> None:
    tab = await show(
        f"<body style='margin:0'>{LOG}<canvas id=c width=400 height=300></canvas><script>"
        "c.onclick = e => note(`${e.offsetX} ${e.offsetY}`)</script>"
    )
    outcome = await click(tab, {"x": 210, "y": 120})
    assert await tab.page.evaluate("log") == ["210 120"]
    assert outcome.facts()["hit"] == "e1 canvas"


async def test_a_point_reaches_into_frames_of_other_sites(tab: Tab, site: Site) -> None:
    site.add("leaf", f"<button style='{AT_TOP}' onclick='document.title = `clicked`'>Inside</button>")
    await tab.page.goto(
        site.add("outer", "<iframe src='http://b.test:{port}/leaf' style='margin:50px;padding:7px'></iframe>")
    )
    outcome = await click(tab, {"x": 100, "y": 100})
    assert outcome.facts()["hit"] == 'f1e1 button "Inside"'
    assert await tab.page.frames[-1].title() == "clicked"


async def test_a_frame_is_not_clicked_through_a_target_around_it(tab: Tab, site: Site) -> None:
    site.add("leaf", f"<button style='{AT_TOP}' onclick='document.title = `clicked`'>Pay now</button>")
    await tab.page.goto(site.add("outer", "<div id=d><iframe src='http://b.test:{port}/leaf'></iframe></div>"))
    places: tuple[ElementArgument, ...] = ("iframe", "#d iframe", {"css": "iframe", "at": [20, 20]})
    for place in places:
        with pytest.raises(InvalidArgument, match="frame at that point"):
            await click(tab, place)
    assert await tab.page.frames[-1].title() == ""


async def test_nothing_is_clicked_when_another_element_is_at_the_point_by_then(show: Show) -> None:
    tab = await show(f"{LOG}<button id=a style='{AT_TOP}' onclick='note(`a`)'>Next</button>")
    target = await resolve(tab, {"x": 20, "y": 20}, pointing=True)
    await tab.page.evaluate(
        "document.body.insertAdjacentHTML('beforeend',"
        f"`<button style='{AT_TOP}' onclick='note(\"pay\")'>Pay now</button>`)"
    )
    with pytest.raises(ElementChanged, match="no longer what is at that point"):
        await mouse.click(ActionContext(tab), target)
    assert await tab.page.evaluate("log") == []


async def test_the_mouse_is_moved_to_a_point(show: Show) -> None:
    tab = await show(f"<div style='{AT_TOP}' onmousemove='document.title = event.clientX'>Chart</div>")
    outcome = await hover(tab, {"x": 77, "y": 20})
    assert await tab.page.title() == "77"
    assert "Chart" in str(outcome.facts()["hit"])


async def test_what_is_at_a_point_is_scrolled(show: Show) -> None:
    tab = await show(
        f"<div id=box style='{AT_TOP};overflow:auto'><p>Row</p><div style='height:900px'></div></div>"
        "<div style='height:3000px'></div>"
    )
    outcome = await scroll(tab, {"x": 20, "y": 20}, dy=150)
    assert await tab.page.evaluate("[box.scrollTop, scrollY]") == [150, 0]
    assert outcome.facts()["hit"]


@pytest.mark.parametrize(
    "point", [{"x": 1}, {"x": 1, "y": "far"}, {"x": True, "y": 1}, {"x": 1, "y": 2, "ref": "e1"}, {"x": 1e999, "y": 0}]
)
async def test_a_point_that_cannot_be_read_is_refused(show: Show, point: ElementArgument) -> None:
    tab = await show("<p>Text</p>")
    with pytest.raises(InvalidArgument):
        await click(tab, point)


async def test_a_point_outside_of_the_viewport_is_refused_with_its_size(show: Show) -> None:
    tab = await show("<p>Text</p>")
    with pytest.raises(ElementNotFound, match="1280 × 720"):
        await click(tab, {"x": 5000, "y": 10})


async def test_a_point_is_no_field(show: Show) -> None:
    tab = await show("<input>")
    with pytest.raises(InvalidArgument, match="clicking"):
        await type_text(tab, {"x": 10, "y": 10}, "text")
