"""The user's Pause and Stop, in the popup, in the page and on the debugger's bar."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from browser_pilot.bridge.relay import Relay
from browser_pilot.bridge.wire import Happened
from browser_pilot.errors import PermissionDenied
from browser_pilot.pages.cdp import send
from browser_pilot.pages.dom import take_tree
from browser_pilot.pages.navigate import open_address
from browser_pilot.pages.pointer import click
from browser_pilot.pages.snapshot import take_view

from ..acting.site import Site
from .in_process import InProcess

PAGE = "<title>0</title><h1>Page</h1><button id=b onclick='document.title = `pressed`'>Press</button>"
# The pill is 12 pixels from the corner; its last button is Stop, the one before it Pause.
IN_THE_PILL = "() => ({ x: innerWidth - 40, y: innerHeight - 24 })"


async def until(happened: Callable[[], Awaitable[bool] | bool]) -> None:
    async with asyncio.timeout(15):
        while True:
            outcome = happened()
            if outcome if isinstance(outcome, bool) else await outcome:
                return
            await asyncio.sleep(0.02)


@pytest_asyncio.fixture(loop_scope="session")
async def relay(own: InProcess) -> AsyncIterator[Relay]:
    relay = await own.bridge.browser(None)
    yield relay
    await relay.halt("")
    own.bridge.tell_news()


async def users_view(own: InProcess, url: str) -> Page:
    return next(page for page in own.chrome.context.pages if page.url == url)


async def press(popup: Page, name: str) -> None:
    await popup.get_by_role("button", name=name, exact=True).click()


async def test_pause_holds_agents_until_the_user_resumes(own: InProcess, pages: Site, relay: Relay) -> None:
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
        await until(lambda: not tab.open)
        assert not page.is_closed()
        with pytest.raises(PermissionDenied, match="stopped"):
            await session.ready()
        await press(popup, "Resume")
        await expect(popup.locator("#state")).to_have_text("Connected")
        await session.ready()
        await popup.close()
        await page.close()


async def test_the_bars_cancel_means_stop(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        relay.on_event(Happened("debugger.onDetach", [{"tabId": next(iter(relay.tabs))}, "canceled_by_user"]))
        await until(lambda: relay.halted == "stopped" and not tab.open)
        await until(lambda: not relay.tabs)
        assert ("user_said", "stop") in [(event, details.get("word")) for event, details in own.notes]
        await page.close()


async def test_connecting_a_tab_after_a_stop_goes_on(own: InProcess, pages: Site, relay: Relay) -> None:
    await relay.halt("stopped")
    own.bridge.tell_news()
    page = await own.chrome.open(pages.add("page", PAGE))
    popup = await own.chrome.popup(page)
    await expect(popup.locator("#state")).to_have_text("Stopped by you")
    await press(popup, "Connect this tab")
    await until(lambda: relay.halted == "")
    await popup.close()
    await page.close()
    await until(lambda: not relay.tabs)


async def test_the_pill_is_there_for_the_user_and_not_for_the_agent(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        await expect(page.locator("browser-pilot-sign")).to_be_attached()
        names = [row.name for row in (await take_view(tab.world)).rows]
        assert names == ["Page", "Press"]
        assert "browser-pilot-sign" not in str(await take_tree(tab.world))
        spot = await page.evaluate(IN_THE_PILL)
        assert await tab.page.evaluate("({ x, y }) => document.elementFromPoint(x, y).localName", spot) in (
            "html",
            "body",
        )


async def test_an_agent_cannot_press_stop_in_the_page_and_the_user_can(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        await expect(page.locator("browser-pilot-sign")).to_be_attached()
        spot = await page.evaluate(IN_THE_PILL)
        session = await tab.world.frames.main_session()
        for kind in ("mouseMoved", *("mousePressed", "mouseReleased") * 3):
            button = "none" if kind == "mouseMoved" else "left"
            await send(session, "Input.dispatchMouseEvent", type=kind, button=button, clickCount=1, **spot)
        assert relay.halted == ""

        async def users_click() -> bool:
            await page.mouse.move(spot["x"] - 1, spot["y"])
            await page.mouse.move(spot["x"], spot["y"])
            await page.mouse.click(spot["x"], spot["y"])
            return relay.halted == "stopped"

        await until(users_click)
        await page.close()


async def test_a_tab_that_is_taken_away_loses_its_pill(own: InProcess, pages: Site, relay: Relay) -> None:
    page = await own.chrome.open(pages.add("page", PAGE))
    await own.chrome.share(page)
    await expect(page.locator("browser-pilot-sign")).to_be_attached()
    popup = await own.chrome.popup(page)
    await press(popup, "Disconnect this tab")
    await expect(page.locator("browser-pilot-sign")).not_to_be_attached()
    await popup.close()
    await page.close()
