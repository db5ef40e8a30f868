"""The user's Pause and Stop, in the popup, in the page's indicator and in Chrome's infobar."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from browser_pilot.errors import PausedByUser, PermissionDenied
from browser_pilot.extension_bridge.cdp_relay.relay import Relay
from browser_pilot.extension_bridge.extension_connection import ChromeRefused
from browser_pilot.page.cdp import send
from browser_pilot.page.snapshot.dom_tree import take_dom_tree
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import Site
from tests.waiting import eventually

from .in_process import InProcess

PAGE = "<title>0</title><h1>Page</h1><button id=b onclick='document.title = `pressed`'>Press</button>"
HOSTILE = """<title>Hostile</title><h1>Play video</h1><style>
  * { opacity: 0 !important; visibility: hidden !important; display: none !important; clip: rect(0 0 0 0) !important;
      transform: translate(-500px, -300px) !important; position: static !important; transition: all 100s !important }
  html, body { display: block !important; filter: opacity(0); transform: scale(0.1) !important }
  :popover-open, :not(:defined) { inset: 0 !important; margin: 0 !important; animation: x 1s infinite !important }
  @keyframes x { from, to { opacity: 0; transform: scale(0) } }
</style>"""
# The indicator is 12 pixels from the corner; its last button is Stop, the one before it Pause.
IN_THE_INDICATOR = "() => ({ x: innerWidth - 40, y: innerHeight - 24 })"


@pytest_asyncio.fixture(loop_scope="session")
async def relay(own: InProcess) -> AsyncIterator[Relay]:
    relay = await own.bridge.relay_of(None)
    yield relay
    own.bridge.apply_user_command("resume", where="in a test")
    await eventually(lambda: is_halted(own, ""))


async def is_halted(own: InProcess, halted: str) -> bool:
    """Whether the extension has stored this state."""
    stored = "() => chrome.storage.local.get({ halted: '' }).then(({ halted }) => halted)"
    return await (await own.chrome.worker()).evaluate(stored) == halted


async def attached_tabs(own: InProcess) -> list[int]:
    """The tabs to which our own debugger is attached: it answers there."""
    find = """async () => {
      const ids = (await chrome.tabs.query({})).map((tab) => tab.id);
      const probe = (tabId) => chrome.debugger.sendCommand({ tabId }, 'Page.enable').then(() => [tabId], () => []);
      return (await Promise.all(ids.map(probe))).flat();
    }"""
    return await (await own.chrome.worker()).evaluate(find)


async def badge_of(own: InProcess, page: Page) -> str:
    tab_id = await own.chrome.tab_id(page)
    return str(await (await own.chrome.worker()).evaluate("(tabId) => chrome.action.getBadgeText({ tabId })", tab_id))


async def users_view(own: InProcess, url: str) -> Page:
    return await own.chrome.page_at(url)


def indicator(page: Page) -> Locator:
    """The host of the indicator: the only element beside head and body."""
    return page.locator("html > :not(head, body)")


async def press(popup: Page, name: str) -> None:
    await popup.get_by_role("button", name=name, exact=True).click()


async def test_pause_blocks_agents_until_the_user_resumes(own: InProcess, pages: Site, relay: Relay) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        popup = await own.chrome.popup(await users_view(own, pages.url("page")))
        await press(popup, "Pause")
        await expect(popup.locator("#state")).to_have_text("Paused")
        with pytest.raises(PausedByUser, match="paused"):
            await session.ready()
        with pytest.raises(PausedByUser, match="paused"):
            await click(tab, "#b")
        relay.set_halted("")  # as if the hub did not know: the extension refuses it too
        with pytest.raises(PausedByUser, match="paused"):
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
        cancel = "(tabId) => chrome.debugger.onDetach.dispatch({ tabId }, 'canceled_by_user')"
        await (await own.chrome.worker()).evaluate(cancel, next(iter(relay.tabs)))
        await eventually(lambda: relay.halted == "stopped" and not tab.open)
        await eventually(lambda: not relay.tabs)
        await eventually(lambda: is_halted(own, "stopped"))
        assert await attached_tabs(own) == []
        assert ("user_said", "stop") in [(event, details.get("word")) for event, details in own.notes]
        await expect(indicator(page)).not_to_be_attached()
        await page.close()


async def test_stop_takes_effect_in_the_browser_while_the_hub_hangs_and_survives_its_restart(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        shared = await own.chrome.open(pages.add("shared", PAGE))
        await own.chrome.share(shared)
        await expect(indicator(page)).to_be_attached()
        await expect(indicator(shared)).to_be_attached()
        popup = await own.chrome.popup(shared)
        with own.hanging_hub():
            await press(popup, "Stop")
            await expect(popup.locator("#state")).to_have_text("Stopped by you")
            await eventually(lambda: is_halted(own, "stopped"))
            for one in (page, shared):
                await expect(indicator(one)).not_to_be_attached()
                assert await badge_of(own, one) == ""
            assert await attached_tabs(own) == []
            assert {one["groupId"] for one in await own.chrome.tabs()} == {-1}, "no tab group is left behind"
        await eventually(lambda: relay.halted == "stopped")
        with pytest.raises(PermissionDenied, match="stopped"):
            await session.ready()
        relay.set_halted("")  # as in a hub that has just started
        await own.bridge.close()
        await eventually(lambda: relay.halted == "stopped", "the extension reports it in the handshake")
        relay.set_halted("")  # even a hub that ignores it gets nothing
        with pytest.raises(ChromeRefused, match="stopped all agents"):
            await relay.create_tab(relay.clients[0], "about:blank")
        await popup.close()
        await shared.close()
        await page.close()


async def test_connecting_a_tab_after_a_stop_resumes(own: InProcess, pages: Site, relay: Relay) -> None:
    own.bridge.apply_user_command("stop", where="in a test")
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
        await expect(indicator(page)).to_be_attached()
        names = [row.name for row in (await take_snapshot(tab.world)).rows]
        assert names == ["Page", "Press"]
        assert "popover" not in str(await take_dom_tree(tab.world))
        spot = await page.evaluate(IN_THE_INDICATOR)
        assert await tab.page.evaluate("({ x, y }) => document.elementFromPoint(x, y).localName", spot) in (
            "html",
            "body",
        )


async def test_the_page_cannot_hide_move_or_remove_the_indicator(own: InProcess, pages: Site, relay: Relay) -> None:
    page = await own.chrome.open(pages.add("hostile", HOSTILE))
    await own.chrome.share(page)
    host = indicator(page)
    await expect(host).to_be_attached()
    expected = {
        "opacity": "1",
        "transform": "none",
        "visibility": "visible",
        "clip": "auto",
        "corner": [12, 12],
        "top": True,
    }
    await eventually(lambda: is_shown(host, expected))
    for attack in (
        "host.remove()",
        "host.style.cssText = 'display: none'",
        "host.removeAttribute('style')",
        "host.hidePopover()",
        "host.setAttribute('inert', '')",
        "document.body.append(host)",
        "document.open(); document.write('<h1>New</h1>'); document.close()",
    ):
        await host.evaluate(f"(host) => {{ {attack} }}")
        await eventually(lambda: is_shown(host, expected), attack)
    assert len(relay.tabs) == 1
    # A page that removes it again and again loses the agent.
    await page.evaluate(
        """() => new MutationObserver(() => document.querySelector('html > :not(head, body)')?.remove())
            .observe(document.documentElement, { childList: true })"""
    )
    await page.evaluate("document.querySelector('html > :not(head, body)').remove()")
    await eventually(lambda: not relay.tabs, "the tab is disconnected")
    await expect(host).not_to_be_attached()
    await page.close()


async def is_shown(host: Locator, expected: dict[str, Any]) -> bool:
    """Whether the page's user can see the indicator, in the corner of the window."""
    look = """(host) => {
      const { opacity, transform, visibility, clip } = getComputedStyle(host);
      const box = host.getBoundingClientRect();
      const corner = box.width > 100 ? [innerWidth - box.right, innerHeight - box.bottom].map(Math.round) : [];
      return { opacity, transform, visibility, clip, corner, top: host.matches(':popover-open') };
    }"""
    return await host.count() == 1 and await host.evaluate(look) == expected


async def test_no_message_of_a_page_resumes_and_review_opens_the_panel(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    page = await own.chrome.open(pages.add("page", PAGE))
    await own.chrome.share(page)
    own.bridge.apply_user_command("pause", where="in a test")
    await eventually(lambda: is_halted(own, "paused"))
    click_in_the_page = """([tabId, windowId, command]) => chrome.runtime.onMessage.dispatch(
      { to: 'tab_indicator', type: 'command', command, x: 5, y: 5 },
      { id: chrome.runtime.id, tab: { id: tabId, windowId } }, () => {})"""
    worker, tab_id = await own.chrome.worker(), await own.chrome.tab_id(page)
    await worker.evaluate(click_in_the_page, [tab_id, 0, "resume"])
    async with own.chrome.context.expect_page() as opened:
        await worker.evaluate(click_in_the_page, [tab_id, 0, "review"])
    panel = await opened.value
    assert panel.url.endswith(f"/pages/side_panel.html?tab={tab_id}")
    await expect(panel.locator("#state")).to_have_text("Paused")
    assert relay.halted == "paused"
    assert await is_halted(own, "paused")
    await panel.close()
    await page.close()


async def test_the_user_can_click_stop_in_the_page_and_an_agent_cannot(
    own: InProcess, pages: Site, relay: Relay
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        await expect(indicator(page)).to_be_attached()
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
    await expect(indicator(page)).to_be_attached()
    popup = await own.chrome.popup(page)
    await press(popup, "Disconnect this tab")
    await expect(indicator(page)).not_to_be_attached()
    await popup.close()
    await page.close()


async def test_a_forgotten_browser_releases_its_tabs_and_removes_its_key(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", PAGE))
        page = await users_view(own, pages.url("page"))
        shared = await own.chrome.open(pages.add("shared", PAGE))
        await own.chrome.share(shared)
        await eventually(lambda: len(session.tabs()) == 2)
        await own.bridge.forget(own.bridge.states()[0].name)
        browser = "() => chrome.storage.local.get({ browser: '' }).then(({ browser }) => browser)"

        async def key_is_gone() -> bool:
            return await (await own.chrome.worker()).evaluate(browser) == ""

        await eventually(key_is_gone)
        assert await attached_tabs(own) == []
        for one in (page, shared):
            await expect(indicator(one)).not_to_be_attached()
            await one.close()
    await own.chrome.pair_at(own.port, own.bridge.open_pairing().code)
