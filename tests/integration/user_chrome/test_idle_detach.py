"""The debugger is detached from an idle tab and reattached by the next action, which notices nothing."""

from __future__ import annotations

from browser_pilot.extension_bridge.cdp_relay.controlled_tab import AttachState
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import Site

from .in_process import InProcess

PAGE = "<title>page</title><button id=b onclick='document.title = `pressed`'>Press</button>{more}"


def states(relay: Relay) -> list[AttachState]:
    return [tab.state for tab in relay.tabs.values()]


async def detach_idle(own: InProcess) -> Relay:
    relay = await own.bridge.relay_of(None)
    await relay.detach_idle(-1)
    assert states(relay) == [AttachState.SUSPENDED]
    attached = await (await own.chrome.worker()).evaluate(
        "() => chrome.debugger.getTargets().then((all) => all.filter((one) => one.tabId && one.attached).length)"
    )
    assert attached <= len(own.chrome.context.pages)
    return relay


async def test_the_next_action_reattaches_an_idle_tab(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        relay = await detach_idle(own)
        await click(tab, "#b")
        assert await tab.title() == "pressed"
        assert states(relay) == [AttachState.ATTACHED]


async def test_events_arrive_after_a_reattach(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        await detach_idle(own)
        outcome = await open_address(tab, pages.add("other", "<title>other</title>"))
        assert outcome.new_document
        assert (await tab.page.title(), tab.page.url) == ("other", pages.url("other"))


async def test_a_page_that_navigated_while_detached_is_read_as_it_is_now(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", "")))
        await detach_idle(own)
        users = await own.chrome.page_at(pages.url("page"))
        await users.goto(pages.add("moved", "<title>moved</title><h1>Elsewhere</h1>"))
        view = await take_snapshot(tab.world)
        assert [row.name for row in view.rows] == ["Elsewhere"]
        assert tab.page.url == pages.url("moved")


async def test_out_of_process_frames_are_found_after_a_reattach(own: InProcess, pages: Site) -> None:
    pages.add("inner", "<button>Inside</button>")
    frame = f"<iframe src='{pages.url('inner', host='b')}'></iframe>"
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE.replace("{more}", frame)), wait_until="load")
        assert "Inside" in [row.name for row in (await take_snapshot(tab.world)).rows]
        await detach_idle(own)
        assert "Inside" in [row.name for row in (await take_snapshot(tab.world)).rows]
