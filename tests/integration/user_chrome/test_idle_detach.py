"""The debugger is let go of a tab that nobody uses, and taken up again as if nothing had been."""

from __future__ import annotations

from browser_pilot.bridge.relay import Relay
from browser_pilot.pages.navigate import open_address
from browser_pilot.pages.pointer import click
from browser_pilot.pages.snapshot import take_view

from ..acting.site import Site
from .in_process import InProcess

PAGE = "<title>page</title><button id=b onclick='document.title = `pressed`'>Press</button>{more}"


async def states(relay: Relay) -> list[str]:
    return [tab.state for tab in relay.tabs.values()]


async def let_go(own: InProcess) -> Relay:
    relay = await own.bridge.browser(None)
    await relay.rest(-1)
    assert await states(relay) == ["asleep"]
    attached = await (await own.chrome.worker()).evaluate(
        "() => chrome.debugger.getTargets().then((all) => all.filter((one) => one.tabId && one.attached).length)"
    )
    assert attached <= len(own.chrome.context.pages)
    return relay


async def test_an_idle_tab_loses_the_debugger_and_the_next_action_brings_it_back(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        relay = await let_go(own)
        await click(tab, "#b")
        assert await tab.title() == "pressed"
        assert await states(relay) == ["attached"]


async def test_events_are_heard_again_after_waking(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        await let_go(own)
        outcome = await open_address(tab, pages.add("other", "<title>other</title>"))
        assert outcome.new_document
        assert (await tab.page.title(), tab.page.url) == ("other", pages.url("other"))


async def test_a_page_that_moved_on_while_nobody_looked_is_seen_as_it_is(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        await let_go(own)
        users = next(page for page in own.chrome.context.pages if page.url == pages.url("page"))
        await users.goto(pages.add("moved", "<title>moved</title><h1>Elsewhere</h1>"))
        view = await take_view(tab.world)
        assert [row.name for row in view.rows] == ["Elsewhere"]
        assert tab.page.url == pages.url("moved")


async def test_frames_of_other_sites_are_there_after_waking(own: InProcess, pages: Site) -> None:
    pages.add("inner", "<button>Inside</button>")
    frame = f"<iframe src='{pages.url('inner', host='b')}'></iframe>"
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", frame)), wait_until="load")
        assert "Inside" in [row.name for row in (await take_view(tab.world)).rows]
        await let_go(own)
        assert "Inside" in [row.name for row in (await take_view(tab.world)).rows]
