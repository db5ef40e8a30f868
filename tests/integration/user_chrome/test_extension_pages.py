"""The extension's own pages: accessible, usable by keyboard, and with options that take effect."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.sites import Site, serving
from tests.waiting import eventually

from .chrome import Chrome, own_chrome
from .shop_scene import TIMEOUT_MS, Opening, accessibility_violations

FOCUSABLE = """() => [...document.querySelectorAll('button, input, select, summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.matches(':disabled'))
  .map((one) => one.type === 'radio' ? one.name : one.id || one.dataset.choice || one.textContent)"""
FOCUSED = """() => { const one = document.activeElement;
  if (one === document.body) return ['', ''];
  const style = getComputedStyle(one.type === 'radio' ? one.parentElement : one);
  return [one.type === 'radio' ? one.name : one.id || one.dataset.choice || one.textContent, style.outlineStyle] }"""


async def test_panel_and_popup_have_no_serious_accessibility_violation(opening: Opening) -> None:
    async with opening() as scene:
        asking = asyncio.create_task(fail(scene.agent, "browser_type", element="[name=coupon]", text="SPRING"))
        await expect(scene.panel.get_by_role("article")).to_be_visible(timeout=TIMEOUT_MS)
        popup = await scene.chrome.popup(scene.page)
        await expect(popup.get_by_role("button", name="Review")).to_be_visible()
        assert await accessibility_violations(scene.panel) == []
        assert await accessibility_violations(popup) == []
        await popup.close()
        await scene.panel.bring_to_front()
        await scene.panel.get_by_role("button", name="Deny", exact=False).first.click()
        await asking
        await expect(scene.panel.get_by_role("article")).to_have_count(0)
        await expect(scene.panel.locator("#activity li").first).to_be_visible()
        assert await accessibility_violations(scene.panel) == []


async def test_pages_before_pairing_have_no_serious_accessibility_violation(tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        for opened in (await chrome.popup(), await chrome.panel(), await chrome.options()):
            await expect(opened.locator("#state")).to_have_text("Not paired")
            assert await accessibility_violations(opened) == [], opened.url


async def test_every_control_is_reachable_by_keyboard_with_a_visible_focus(opening: Opening) -> None:
    async with opening() as scene:
        popup = await scene.chrome.popup(scene.page)
        options = await scene.chrome.options()
        await expect(popup.get_by_role("button", name="Stop")).to_be_visible()
        await expect(scene.panel.locator("#activity li").first).to_be_visible(timeout=TIMEOUT_MS)
        for page in (popup, options, scene.panel):
            await page.bring_to_front()
            wanted = set(await page.evaluate(FOCUSABLE))
            assert await reached(page, len(wanted) + 40) >= wanted, page.url
        await popup.close()
        await options.close()


async def reached(page: Page, presses: int) -> set[str]:
    found: set[str] = set()
    for _ in range(presses):
        await page.keyboard.press("Tab")
        name, outline = await page.evaluate(FOCUSED)
        if name:
            assert outline != "none", name
        found.add(name)
    return found


async def test_the_popup_shows_every_connection_state(asking_hub: HubProcess, shop: Site, tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        state = "#state"
        unpaired = await chrome.popup()
        await expect(unpaired.locator(state)).to_have_text("Not paired")
        await unpaired.close()
        await chrome.pair(asking_hub)
        page = await chrome.open(shop.url("/"))
        popup = await chrome.popup(page)
        await expect(popup.locator(state)).to_have_text("Connected", timeout=TIMEOUT_MS)
        await expect(popup.locator("#tab-note")).to_have_text("Agents cannot see this tab.")
        await expect(popup.locator("#connected-for")).to_contain_text("Connected for")
        await popup.get_by_role("button", name="Connect this tab").click()
        await expect(popup.locator("#tab-note")).to_contain_text("Shared")
        for press, status in (("Pause", "Paused"), ("Resume", "Connected"), ("Stop", "Stopped by you")):
            await popup.get_by_role("button", name=press).click()
            await expect(popup.locator(state)).to_have_text(status, timeout=TIMEOUT_MS)
        await popup.get_by_role("button", name="Resume").click()
        await popup.get_by_role("button", name="Turn off").click()
        await expect(popup.locator(state)).to_have_text("Turned off")
        await popup.get_by_role("button", name="Turn on").click()
        await expect(popup.locator(state)).to_have_text("Connected", timeout=TIMEOUT_MS)
        await popup.get_by_label("Server").fill("127.0.0.1:9")
        await popup.get_by_label("Server").press("Tab")
        await expect(popup.locator(state)).to_have_text("Hub offline", timeout=TIMEOUT_MS)
        await expect(popup.get_by_role("button", name="Try now")).to_be_visible()
        browsers = await chrome.open("chrome://version/")
        cannot = await chrome.popup(browsers)
        await expect(cannot.get_by_role("button", name="Connect this tab")).to_be_hidden()
        await forget_disconnected(asking_hub)


async def forget_disconnected(hub: HubProcess) -> None:
    """Leave only the browser that the tests share."""

    async def one_is_left() -> bool:
        with hub.http() as http:
            browsers = http.get("/api/browsers").json()
            for one in browsers:
                if not one["connected"]:
                    http.post("/api/browsers/forget", json={"browser": one["id"]})
        return sum(one["connected"] for one in browsers) <= 1

    await eventually(one_is_left)


async def test_the_popup_opens_the_side_panel(asking_hub: HubProcess, shop: Site, tmp_path: Path) -> None:
    # A browser of its own: an open side panel stays open, and shows approval requests.
    async with own_chrome(tmp_path) as chrome:
        await chrome.pair(asking_hub)
        page = await chrome.open(shop.url("/"))
        popup = await chrome.popup(page)
        await expect(popup.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
        await popup.get_by_role("button", name="Open panel").click()
        worker = await chrome.worker()
        panels = "() => chrome.runtime.getContexts({ contextTypes: ['SIDE_PANEL'] }).then((found) => found.length)"

        async def panel_is_open() -> bool:
            return await worker.evaluate(panels) == 1

        await eventually(panel_is_open)
    await forget_disconnected(asking_hub)


async def test_the_options_keep_the_theme_and_reject_an_address_without_a_port(
    asking_hub: HubProcess, users_chrome: Chrome
) -> None:
    options = await users_chrome.options()
    await expect(options.locator("#paired-as")).to_contain_text("Paired as")
    await options.get_by_text("Dark", exact=True).click()
    await expect(options.locator("html")).to_have_attribute("data-theme", "dark")
    popup = await users_chrome.popup()
    await expect(popup.locator("html")).to_have_attribute("data-theme", "dark")
    await popup.close()
    await options.bring_to_front()
    await options.get_by_text("System", exact=True).click()
    await options.get_by_label("Server").fill("127.0.0.1")
    await options.get_by_role("button", name="Save").click()
    await expect(options.locator("#note")).to_contain_text("address with a port")
    await options.get_by_label("Server").fill(f"127.0.0.1:{asking_hub.info.port}")
    await options.get_by_role("button", name="Save").click()
    await expect(options.locator("#note")).to_have_text("Saved.")
    await expect(options.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
    assert await accessibility_violations(options) == []
    await options.close()


async def test_a_shared_window_includes_tabs_that_are_opened_later(
    asking_hub: HubProcess, users_chrome: Chrome, shop: Site
) -> None:
    options = await users_chrome.options()
    assert not await options.get_by_label("Share all tabs of a window").is_checked()
    await options.get_by_label("Share all tabs of a window").check()
    one, two = await users_chrome.open(shop.url("/?one")), await users_chrome.open(shop.url("/?two"))
    popup = await users_chrome.popup(one)
    await popup.get_by_role("button", name="Connect all tabs of this window").click()
    await expect(popup.get_by_role("button", name="Disconnect this window")).to_be_visible()
    async with http_client(asking_hub) as agent:
        await wait_for_tabs(agent, {"?one", "?two"})
        later = await users_chrome.open(shop.url("/?later"))
        await wait_for_tabs(agent, {"?one", "?two", "?later"})
        await popup.bring_to_front()
        await popup.get_by_role("button", name="Disconnect this window").click()
        await wait_for_tabs(agent, set())
    await options.bring_to_front()
    await options.get_by_label("Share all tabs of a window").uncheck()
    for page in (one, two, later, popup, options):
        await page.close()


async def wait_for_tabs(agent: Any, queries: set[str]) -> None:
    async def are_listed() -> bool:
        rows = (await call(agent, "browser_tabs"))["tabs"]
        return {f"?{row['url'].partition('?')[2]}" for row in rows if "?" in row["url"]} == queries

    await eventually(are_listed)


async def test_a_pairing_link_fills_in_the_code_and_pairs_only_when_the_user_confirms(tmp_path: Path) -> None:
    offer = f"chrome.runtime.sendMessage('{EXTENSION_ID}', {{ pair: 'K7QW-3M9T' }})"
    with serving({"/": f'<!doctype html><title>Hub</title><button onclick="{offer}">Pair my browser</button>'}) as hub:
        async with own_chrome(tmp_path) as chrome:
            await chrome.set_server(hub.port)
            page = await chrome.open(hub.url("/"))
            async with chrome.context.expect_page() as settings:
                await page.get_by_role("button").click()
            options = await settings.value
            await expect(options.get_by_label("Pairing code")).to_have_value("K7QW-3M9T", timeout=TIMEOUT_MS)
            await expect(options.get_by_label("Server")).to_have_value(f"127.0.0.1:{hub.port}")
            await expect(options.locator("#pair-how")).to_contain_text(f"127.0.0.1:{hub.port}")
            await expect(options.locator("#state")).to_have_text("Not paired")
            assert [hit for hit in hub.hits if hit != "/" and "favicon" not in hit] == []


async def test_a_page_on_loopback_cannot_replace_the_pairing(asking_hub: HubProcess, tmp_path: Path) -> None:
    """Another program on this machine offers its own code: nothing opens, and Enter confirms nothing."""
    offer = f"chrome.runtime.sendMessage('{EXTENSION_ID}', {{ pair: 'EV1L-C0DE' }})"
    with serving({"/": "<!doctype html><title>Not a hub</title>"}) as attacker:
        async with own_chrome(tmp_path) as chrome:
            page = await chrome.open(attacker.url("/"))
            assert await page.evaluate(offer) == {"refused": "other_server"}
            await chrome.pair(asking_hub)
            count = len(chrome.context.pages)
            assert await page.evaluate(offer) == {"refused": "paired"}
            await page.keyboard.press("Enter")
            assert len(chrome.context.pages) == count
            popup = await chrome.popup()
            await expect(popup.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
            stored = await popup.evaluate("chrome.storage.local.get(['server', 'browser'])")
            assert stored["server"] == f"127.0.0.1:{asking_hub.info.port}" and stored["browser"]


async def test_the_pair_button_is_disabled_until_the_offer_was_visible_for_a_while(tmp_path: Path) -> None:
    offer = f"chrome.runtime.sendMessage('{EXTENSION_ID}', {{ pair: 'K7QW-3M9T' }})"
    with serving({"/": "<!doctype html><title>Hub</title>"}) as hub:
        async with own_chrome(tmp_path) as chrome:
            await chrome.set_server(hub.port)
            options = await chrome.options()
            # Records whether the button was ever enabled or focused in the moment in which the code appears.
            await options.evaluate(
                """() => {
                  globalThis.seen = [];
                  const [code, pair] = ['code', 'pair'].map((id) => document.getElementById(id));
                  const look = () => {
                    if (code.value) globalThis.seen.push([pair.disabled, document.activeElement === pair]);
                    if (!code.value || pair.disabled) requestAnimationFrame(look);
                  };
                  look();
                }"""
            )
            page = await chrome.open(hub.url("/"))
            assert await page.evaluate(offer) == {"refused": ""}
            await options.bring_to_front()
            await expect(options.get_by_role("button", name="Pair", exact=True)).to_be_enabled(timeout=TIMEOUT_MS)
            seen = await options.evaluate("globalThis.seen")
            assert seen[0] == [True, False] and len(seen) > 10
            assert not any(focused for _, focused in seen)


async def test_the_options_pair_and_forget(asking_hub: HubProcess, tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        options = await chrome.options()
        await options.get_by_label("Server").fill(f"127.0.0.1:{asking_hub.info.port}")
        with asking_hub.http() as http:
            code = http.post("/api/pairing").json()["code"]
        await options.get_by_label("Pairing code").fill("AAAA-AAAA")
        await options.get_by_role("button", name="Pair", exact=True).click()
        await expect(options.locator("#problem")).to_contain_text("not the code", timeout=TIMEOUT_MS)
        await options.get_by_label("Pairing code").fill(code)
        await options.get_by_role("button", name="Pair", exact=True).click()
        await expect(options.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
        await options.get_by_role("button", name="Forget this pairing").click()
        await expect(options.locator("#state")).to_have_text("Not paired", timeout=TIMEOUT_MS)
        with asking_hub.http() as http:
            for browser in http.get("/api/browsers").json():
                if not browser["connected"]:
                    http.post("/api/browsers/forget", json={"browser": browser["id"]})
