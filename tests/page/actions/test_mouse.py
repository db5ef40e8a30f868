"""A click lands on its element or raises an error with the reason."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import CDPSession

from browser_pilot.errors import ElementAmbiguous, ElementNotActionable, ElementNotFound, InvalidArgument, StaleRef
from browser_pilot.page.actions import mouse
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.cdp import send
from browser_pilot.page.snapshot.snapshot import take_snapshot
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import click, hover
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"


async def logged(tab: Tab) -> list[str]:
    return await tab.page.evaluate("log")


async def test_a_click_reaches_its_element_with_real_events(show: Show) -> None:
    tab = await show(f"{LOG}<button id=b onclick='note(`${{event.isTrusted}} ${{event.detail}}`)'>Go</button>")
    await click(tab, "#b")
    assert await logged(tab) == ["true 1"]


async def test_a_double_click_is_two_clicks_and_a_double_click(show: Show) -> None:
    tab = await show(f"{LOG}<p id=b onclick='note(`click ${{event.detail}}`)' ondblclick='note(`double`)'>Go</p>")
    await click(tab, "#b", count=2)
    assert await logged(tab) == ["click 1", "click 2", "double"]


async def test_the_given_button_and_modifiers_are_used(show: Show) -> None:
    tab = await show(
        f"{LOG}<p id=b onclick='note(`${{event.shiftKey}} ${{event.altKey}}`)' oncontextmenu='note(`menu`)'>Go</p>"
    )
    await click(tab, "#b", modifiers=["Shift"])
    await click(tab, "#b", button="right")
    assert await logged(tab) == ["true false", "menu"]


async def test_an_element_far_down_the_page_is_scrolled_to(show: Show) -> None:
    tab = await show(f"{LOG}<div style='height:5000px'></div><button id=b onclick='note(`hit`)'>Go</button>")
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_an_element_inside_a_scrolled_box_is_scrolled_to(show: Show) -> None:
    tab = await show(
        f"{LOG}<div style='height:100px;overflow:auto'><div style='height:900px'></div>"
        "<button id=b onclick='note(`hit`)'>Go</button></div>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_an_element_under_a_sticky_header_is_scrolled_clear_of_it(show: Show) -> None:
    tab = await show(
        f"{LOG}<header style='position:fixed;top:0;left:0;right:0;height:300px;background:red'>Head</header>"
        "<div style='height:1000px'></div><button id=b onclick='note(`hit`)'>Go</button>"
        "<div style='height:3000px'></div>"
    )
    await tab.page.evaluate("scrollTo(0, 900)")
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_the_error_for_a_covered_element_names_the_cover(show: Show) -> None:
    tab = await show(
        f"{LOG}<button id=b onclick='note(`hit`)'>Go</button>"
        "<div id=banner style='position:fixed;inset:0;background:white'>We use cookies</div>"
    )
    with pytest.raises(ElementNotActionable, match=r"covered by.*We use cookies"):
        await click(tab, "#b", timeout_ms=200)
    assert await logged(tab) == []


async def test_a_cover_on_a_page_at_rest_is_an_error_soon_that_says_how_to_close_it(show: Show) -> None:
    tab = await show(
        f"{LOG}<button id=b onclick='note(`hit`)'>Go</button><div style='position:fixed;inset:0;background:white'>"
        "<div role=dialog aria-label=Cookies><p>We use cookies</p><a href=more>Read more</a><button>Accept all</button>"
        "</div></div>"
    )
    started = asyncio.get_running_loop().time()
    with pytest.raises(ElementNotActionable) as caught:
        await click(tab, "#b", timeout_ms=60_000)
    assert asyncio.get_running_loop().time() - started < 30
    cover = re.search(r'covered by (e\d+) dialog "Cookies"', caught.value.message)
    closing = re.fullmatch(r'Click (e\d+) button "Accept all" first, .*', caught.value.suggestions[0])
    assert cover is not None and closing is not None
    refs = {row.name: row.ref for row in (await take_snapshot(tab.world)).all_rows()}
    assert (refs["Cookies"], refs["Accept all"]) == (cover[1], closing[1])
    with pytest.raises(ElementNotActionable, match="covered by"):
        await click(tab, {"css": "#b", "at": [1, 1]}, timeout_ms=60_000)


@pytest.mark.parametrize(
    "loading",
    [
        "<script>fetch('slow')</script>",
        "<i style='display:block;width:9px;height:9px;animation:turn 1s infinite'></i>",
        "<style>b { animation: turn 60s }</style><b>Fading</b>",
    ],
    ids=["a request", "a spinner", "an animation that ends"],
)
async def test_a_cover_is_awaited_while_the_page_is_loading(show: Show, site: Site, loading: str) -> None:
    site.never("slow")
    tab = await show(
        f"{LOG}<style>@keyframes turn {{ to {{ rotate: 1turn }} }}</style>"
        "<button id=b onclick='note(`hit`)'>Go</button>"
        f"<div id=veil style='position:fixed;inset:0'>{loading}</div>"
        "<script>setTimeout(() => veil.remove(), 3000)</script>"
    )
    await click(tab, "#b", timeout_ms=60_000)
    assert await logged(tab) == ["hit"]


@pytest.mark.parametrize(
    "html",
    [
        "<button onclick='note(`hit`)'><span id=b>Go</span><i style='position:absolute;inset:0'></i></button>",
        "<div role=option onclick='note(`hit`)' style='position:relative'><b id=b>Suite</b>"
        "<i style='position:absolute;inset:0'></i></div>",
        "<label id=b style='position:relative;display:block' onmousedown='note(`hit`)'>Agree"
        "<input type=checkbox style='position:absolute;inset:0;opacity:0' onclick='event.stopPropagation()'></label>",
        "<svg width=300 height=99><g><g onclick='note(`hit`)'><g><text id=b y=30 x=20>function 1</text></g>"
        "<rect width=200 height=60 opacity=.1 /></g></g></svg>",
        "<svg width=300 height=99><g><g><rect width=200 height=60 onmousedown='note(`hit`)' />"
        "<text id=b y=30 x=20 style='pointer-events:none'>function 1</text></g></g></svg>",
    ],
    ids=["button", "option", "label", "text under the rect of its group", "text that lets clicks through"],
)
async def test_a_part_of_the_same_control_is_no_cover(show: Show, html: str) -> None:
    tab = await show(f"{LOG}{html}")
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


@pytest.mark.parametrize(
    "html",
    [
        "<svg width=300 height=99><g><g><text id=b y=30 x=20>one</text><circle r=9 /></g>"
        "<g><rect width=200 height=60 onmousedown='note(`wrong`)' /></g></g></svg>",
        "<button><span id=b>Go</span></button>"
        "<button style='position:fixed;inset:0' onmousedown='note(`wrong`)'>All</button>",
        "<svg width=300 height=99><g><text id=b y=30 x=20>one</text><rect width=9 height=9 />"
        "<a href=x onmousedown='note(`wrong`)'><rect width=200 height=60 /></a></g></svg>",
        f"<div tabindex=0>{'<i></i>' * 40}<p id=b>Go</p>"
        "<p style='position:absolute;inset:0' onmousedown='note(`wrong`)'>Toast</p></div>",
    ],
    ids=["another group", "another button", "a link in the group", "a large area"],
)
async def test_a_part_of_another_control_is_a_cover(show: Show, html: str) -> None:
    tab = await show(f"{LOG}{html}")
    with pytest.raises(ElementNotActionable, match="covered by"):
        await click(tab, "#b", timeout_ms=200)
    assert await logged(tab) == []


async def test_a_cover_that_disappears_is_awaited(show: Show) -> None:
    tab = await show(
        f"{LOG}<button id=b onclick='note(`hit`)'>Go</button>"
        "<div id=veil style='position:fixed;inset:0'></div><script>setTimeout(() => veil.remove(), 300)</script>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_a_cover_that_appears_on_mouse_over_is_not_clicked(show: Show) -> None:
    tab = await show(
        f"{LOG}<button id=b onclick='note(`wrong`)' onmousemove='veil.hidden = false'>Go</button>"
        "<div id=veil hidden style='position:fixed;inset:0' onclick='note(`veil`)' onmousedown='note(`veil`)'></div>"
    )
    with pytest.raises(ElementNotActionable, match="covered"):
        await click(tab, "#b", timeout_ms=300)
    assert await logged(tab) == []


async def test_a_disabled_button_is_clicked_once_it_is_enabled(show: Show) -> None:
    tab = await show(
        f"{LOG}<button id=b disabled onclick='note(`hit`)'>Go</button>"
        "<script>setTimeout(() => b.disabled = false, 300)</script>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("<button id=b disabled>Go</button>", "is disabled"),
        ("<fieldset disabled><button id=b>Go</button></fieldset>", "is disabled"),
        ("<div aria-disabled=true><span id=b>Go</span></div>", "is disabled"),
        ("<button id=b style='display:none'>Go</button>", "is hidden"),
        ("<button id=b style='visibility:hidden'>Go</button>", "is hidden"),
        ("<button id=b style='position:fixed;left:-500px'>Go</button>", "cannot be brought into view"),
        ("<div id=w><button id=b style='pointer-events:none'>Go</button></div>", "is covered by"),
    ],
)
async def test_an_element_that_cannot_be_clicked_is_an_error_with_the_reason(
    show: Show, html: str, message: str
) -> None:
    tab = await show(html)
    with pytest.raises(ElementNotActionable, match=message):
        await click(tab, "#b", timeout_ms=100)


async def test_a_moving_element_is_clicked_once_it_is_stable(show: Show) -> None:
    tab = await show(
        f"{LOG}<style>@keyframes in {{ from {{ transform: translateX(600px) }} }}</style>"
        "<button id=b style='animation: in 400ms linear' onclick='note(`hit`)'>Go</button>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_a_removed_element_is_stale_and_the_error_describes_it(show: Show) -> None:
    tab = await show("<button id=b>Save</button>")
    ref = (await resolve(tab, "#b")).ref
    await tab.page.evaluate("b.remove()")
    with pytest.raises(StaleRef, match='was button "Save"'):
        await click(tab, ref)


async def test_no_match_and_several_matches_are_different_errors(show: Show) -> None:
    tab = await show("<button>One</button><button>Two</button>")
    with pytest.raises(ElementNotFound):
        await click(tab, "#nope")
    with pytest.raises(ElementAmbiguous) as caught:
        await click(tab, "button")
    assert any("One" in line for line in caught.value.suggestions)
    with pytest.raises(InvalidArgument):
        await click(tab, "b[")


@pytest.mark.parametrize(
    "html",
    [
        "<label><input type=checkbox id=b style='opacity:0;position:absolute;width:0;height:0'><i>Fancy</i></label>",
        "<input type=checkbox id=b style='display:none'><label for=b>Fancy</label>",
        "<label style='position:relative'><input type=checkbox id=b><i style='position:absolute;inset:0'>x</i></label>",
    ],
)
async def test_a_hidden_check_box_is_clicked_at_its_label(show: Show, html: str) -> None:
    tab = await show(html)
    await click(tab, "#b")
    assert await tab.page.evaluate("b.checked") is True


async def test_a_link_over_two_lines_is_clicked_on_its_text(show: Show) -> None:
    tab = await show(
        f"{LOG}<p style='width:120px'>Some words and <a id=b onclick='note(`hit`)'>a link that wraps</a></p>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["hit"]


async def test_a_card_is_clicked_beside_the_button_in_its_middle(show: Show) -> None:
    tab = await show(
        f"{LOG}<div id=b tabindex=0 style='width:300px;height:100px;padding:0' onclick='note(event.target.id)'>"
        "<button id=inner style='margin:30px 100px;width:100px;height:40px'>x</button></div>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["b"]


async def test_clicks_reach_open_and_closed_shadow_roots(show: Show) -> None:
    tab = await show(
        f"{LOG}<my-box id=open></my-box><my-box id=closed></my-box><script>"
        "for (const box of document.querySelectorAll('my-box')) {"
        "const root = box.attachShadow({mode: box.id});"
        "root.innerHTML = '<button id=inner>Go <slot></slot></button>';"
        "root.querySelector('button').onclick = () => note(box.id); }</script>"
    )
    view = await take_snapshot(tab.world)
    for row in [row for row in view.all_rows() if row.role == "button"]:
        await click(tab, row.ref)
    assert await logged(tab) == ["open", "closed"]


async def test_clicks_reach_nested_frames_of_other_sites(tab: Tab, site: Site) -> None:
    site.add("leaf", "<div style='height:900px'></div><button id=b onclick='this.textContent = `hit`'>Go</button>")
    site.add(
        "inner", "<div style='height:700px'></div><iframe style='border:7px solid' src='http://c.test:{port}/leaf'>"
    )
    page = site.add(
        "outer",
        "<div style='height:1500px'></div><iframe style='padding:9px' src='http://b.test:{port}/inner'></iframe>",
    )
    await tab.page.goto(page)
    await click(tab, "#b")
    assert await tab.page.frames[-1].inner_text("#b") == "hit"


@dataclass
class LostMoves:
    """A browser that routes the mouse by an outdated compositor frame: its first moves reach no frame."""

    lost: int
    sent: list[str] = field(default_factory=list[str])

    async def send(self, session: CDPSession, method: str, **params: object) -> dict[str, Any]:
        kind = str(params.get("type", method))
        if kind == "mouseMoved" and self.lost > 0:
            self.lost -= 1
            return {}
        self.sent.append(kind)
        return await send(session, method, **params)


async def framed_button(tab: Tab, site: Site) -> None:
    site.add("leaf", "<button id=b onclick='this.textContent = `hit`'>Go</button>")
    await tab.page.goto(site.add("outer", "<iframe src='http://b.test:{port}/leaf'></iframe>"))


async def test_a_press_waits_until_the_mouse_is_in_its_frame(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await framed_button(tab, site)
    moves = LostMoves(3)
    monkeypatch.setattr(mouse, "send", moves.send)
    await click(tab, "#b")
    assert moves.sent.index("mouseMoved") < moves.sent.index("mousePressed")
    assert await tab.page.frames[-1].inner_text("#b") == "hit"


async def test_nothing_is_pressed_when_the_mouse_never_reaches_the_frame(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await framed_button(tab, site)
    moves = LostMoves(1_000)
    monkeypatch.setattr(mouse, "send", moves.send)
    with pytest.raises(ElementNotActionable, match="another frame"):
        await click(tab, "#b", timeout_ms=400)
    assert moves.sent == []


async def test_a_frame_that_is_covered_by_its_parent_is_not_clicked(tab: Tab, site: Site) -> None:
    site.add("leaf", "<button id=b>Go</button>")
    await tab.page.goto(
        site.add(
            "outer",
            "<iframe src='http://b.test:{port}/leaf'></iframe><div style='position:fixed;inset:0'>Veil</div>",
        )
    )
    with pytest.raises(ElementNotActionable, match=r"covered by.*Veil"):
        await click(tab, "#b", timeout_ms=200)


async def test_hovering_opens_what_opens_on_hover(show: Show) -> None:
    tab = await show(
        "<style>#m:hover ul { display: block } ul { display: none }</style><div id=m>Menu<ul><li>One</ul></div>"
    )
    await hover(tab, "#m")
    assert await tab.page.is_visible("li")


async def test_an_element_that_shrinks_on_mouse_over_is_clicked_once_it_is_back(show: Show, site: Site) -> None:
    """Like an image that is replaced on mouse over and has no size until the other one is loaded."""
    site.late("hot.svg", 0.3, "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='30'/>", kind="image/svg+xml")
    tab = await show(
        f"{LOG}<style>#b {{ display: inline-block; content: url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/"
        "2000/svg' width='30' height='30'/%3E\") } #b:hover { content: url(/hot.svg) }</style>"
        "<div style='width:300px'><span id=b></span></div><script>onclick = event => note(event.target.id)</script>"
    )
    await click(tab, "#b")
    assert await logged(tab) == ["b"]


CANVAS = (
    f"<body style='margin:0'>{LOG}<div style='height:2000px'></div><canvas id=c width=300 height=1500"
    " onclick='note(`${event.offsetX} ${event.offsetY}`)'></canvas>"
)


async def test_a_canvas_is_clicked_at_a_point_wherever_it_has_to_be_scrolled_to(show: Show) -> None:
    tab = await show(CANVAS)
    await click(tab, {"css": "#c", "at": [40, 60]})
    await click(tab, {"css": "#c", "at": [7, 1400]})
    assert await logged(tab) == ["40 60", "7 1400"]


async def test_a_covered_point_or_one_outside_the_element_is_not_clicked(show: Show) -> None:
    tab = await show(CANVAS + "<div style='position:fixed;inset:0 auto auto 0;width:100px;height:100%'>Veil</div>")
    with pytest.raises(InvalidArgument, match="300 × 1500"):
        await click(tab, {"css": "#c", "at": [301, 5]})
    with pytest.raises(ElementNotActionable, match="Veil"):
        await click(tab, {"css": "#c", "at": [40, 60]}, timeout_ms=200)
    await click(tab, {"css": "#c", "at": [140, 60]})
    assert await logged(tab) == ["140 60"]


async def test_a_point_on_another_interactive_element_is_refused(show: Show) -> None:
    tab = await show(
        f"<body style='margin:0'>{LOG}<main id=m style='display:block;height:200px'><button onclick='note(`paid`)'"
        " style='position:absolute;width:90px;height:30px'>Pay</button></main>"
    )
    with pytest.raises(InvalidArgument, match="Pay"):
        await click(tab, {"css": "#m", "at": [10, 10]})
    await click(tab, {"css": "#m", "at": [150, 10]})
    assert await logged(tab) == []


@pytest.mark.parametrize("at", [[1], [1, 2, 3], [-1, 2], ["1", "2"], [True, 1], "1,2", 7, {"x": 1}])
async def test_an_invalid_point_is_refused(show: Show, at: object) -> None:
    tab = await show(CANVAS)
    with pytest.raises(InvalidArgument, match="not a point"):
        await click(tab, {"css": "#c", "at": at})
    assert await logged(tab) == []


async def test_a_menu_that_opens_under_the_mouse_gets_the_click_on_the_target(show: Show) -> None:
    """Like a widely used library: the first movement applies to the item that the menu opened on."""
    tab = await show(
        "<style>* { margin: 0 } button, p { display: block; height: 30px; width: 200px }</style>"
        f"{LOG}<button id=open>Open</button><script>let active, fresh = true; open.onclick = () => {{"
        "document.body.innerHTML = '<p>First</p><p>Second</p>';"
        "for (const p of document.querySelectorAll('p')) { p.onmouseenter = () => { if (fresh) { fresh = false;"
        "document.addEventListener('mousemove', () => active = p, {once: true}) } else active = p };"
        "p.onclick = () => note(active?.textContent ?? p.textContent) } }</script>".replace(
            "open.onclick", "document.querySelector('#open').onclick"
        )
    )
    await click(tab, "#open")
    await tab.page.wait_for_function("!fresh")
    await click(tab, "text=Second")
    assert await logged(tab) == ["Second"]


async def test_cancelling_ends_the_wait_at_once_and_leaves_no_button_pressed(show: Show) -> None:
    tab = await show("<button id=b disabled>Go</button><button id=c onmousemove='held = event.buttons'>C</button>")
    waiting = asyncio.create_task(click(tab, "#b", timeout_ms=120_000))
    await asyncio.wait({waiting}, timeout=0.5)
    began = time.monotonic()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert time.monotonic() - began < 60
    await hover(tab, "#c")
    assert await tab.page.evaluate("held") == 0
