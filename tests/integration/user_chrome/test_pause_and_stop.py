"""The user's Pause and Stop, in the popup, in the page's indicator and in Chrome's infobar."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from browser_pilot.errors import PermissionDenied
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.extension_bridge.protocol import Event
from browser_pilot.page.cdp import send
from browser_pilot.page.snapshot.dom_tree import take_dom_tree
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import Site
from tests.waiting import eventually

from .in_process import InProcess

PAGE = "<title>0</title><h1>Page</h1><button id=b onclick='document.title = `pressed`'>Press</button>"
# The indicator is 12 pixels from the corner; its last button is Stop, the one before it Pause.
IN_THE_INDICATOR = "() => ({ x: innerWidth - 40, y: innerHeight - 24 })"


@pytest_asyncio.fixture(loop_scope="session")
async def relay(own: InProcess) -> AsyncIterator[Relay]:
    relay = await own.bridge.relay_of(None)
    yield relay
    await relay.halt("")
    own.bridge.publish_state()


async def users_view(own: InProcess, url: str) -> Page:
    return next(page for page in own.chrome.context.pages if page.url == url)


async def press(popup: Page, name: str) -> None:
    await popup.get_by_role("button", name=name, exact=True).click()


async def test_pause_blocks_agents_until_the_user_resumes(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        popup = await own.chrome.popup(await users_view(own, pages.url("page")))
        await press(popup, "Pause")
        await expect(popup.locator("#state")).to_have_text("Paused")
        with pytest.raises(PermissionDenied, match="paused"):
            await session.ready()
        with pytest.raises(PermissionDenied, match="paused"):
            await click(tab, "#b")
        await press(popup, "Resume")
        await expect(popup.locator("#state")).to_have_text("Connected")
        await session.ready()
        await click(tab, "#b")
        assert await tab.title() == "pressed"
        await popup.close()


async def test_stop_takes_every_tab_from_agents_and_closes_none(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        popup = await own.chrome.popup(page)
        await press(popup, "Stop")
        await expect(popup.locator("#state")).to_have_text("Stopped by you")
        await eventually(lambda: not tab.open)
        assert not page.is_closed()
        with pytest.raises(PermissionDenied, match="stopped"):
            await session.ready()
        await press(popup, "Resume")
        await expect(popup.locator("#state")).to_have_text("Connected")
        await session.ready()
        await popup.close()
        await page.close()


async def test_cancel_in_chromes_infobar_stops_all_agents(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        relay.on_event(Event("debugger.onDetach", [{"tabId": next(iter(relay.tabs))}, "canceled_by_user"]))
        await eventually(lambda: relay.halted == "stopped" and not tab.open)
        await eventually(lambda: not relay.tabs)
        assert ("user_said", "stop") in [(event, details.get("word")) for event, details in own.notes]
        await page.close()


async def test_connecting_a_tab_after_a_stop_resumes(own: InProcess, pages: Site, relay: Relay) -> None:
    await relay.halt("stopped")
    own.bridge.publish_state()
    page = await own.chrome.open(pages.add("page", PAGE))
    popup = await own.chrome.popup(page)
    await expect(popup.locator("#state")).to_have_text("Stopped by you")
    await press(popup, "Connect this tab")
    await eventually(lambda: relay.halted == "")
    await popup.close()
    await page.close()
    await eventually(lambda: not relay.tabs)


async def test_the_indicator_is_visible_to_the_user_and_not_to_the_agent(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        await expect(page.locator("browser-pilot-indicator")).to_be_attached()
        names = [row.name for row in (await take_snapshot(tab.world)).rows]
        assert names == ["Page", "Press"]
        assert "browser-pilot-indicator" not in str(await take_dom_tree(tab.world))
        spot = await page.evaluate(IN_THE_INDICATOR)
        assert await tab.page.evaluate("({ x, y }) => document.elementFromPoint(x, y).localName", spot) in (
            "html",
            "body",
        )


async def test_the_user_can_click_stop_in_the_page_and_an_agent_cannot(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        await expect(page.locator("browser-pilot-indicator")).to_be_attached()
        spot = await page.evaluate(IN_THE_INDICATOR)
        cdp_session = await tab.world.frames.main_session()
        for kind in ("mouseMoved", *("mousePressed", "mouseReleased") * 3):
            button = "none" if kind == "mouseMoved" else "left"
            await send(cdp_session, "Input.dispatchMouseEvent", type=kind, button=button, clickCount=1, **spot)
        assert relay.halted == ""

        async def users_click() -> bool:
            await page.mouse.move(spot["x"] - 1, spot["y"])
            await page.mouse.move(spot["x"], spot["y"])
            await page.mouse.click(spot["x"], spot["y"])
            return relay.halted == "stopped"

        await eventually(users_click)
        await page.close()


async def test_a_released_tab_loses_its_indicator(own: InProcess, pages: Site, relay: Relay) -> None:
    page = await own.chrome.open(pages.add("page", PAGE))
    await own.chrome.share(page)
    await expect(page.locator("browser-pilot-indicator")).to_be_attached()
    popup = await own.chrome.popup(page)
    await press(popup, "Disconnect this tab")
    await expect(page.locator("browser-pilot-indicator")).not_to_be_attached()
    await popup.close()
    await page.close()
