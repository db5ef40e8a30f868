"""The side panel in a real Chrome: approvals, the site's rule, what agents do, and the element picker."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import expect

from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from tests.clients import call, fail, http_client
from tests.commands import run_pilot
from tests.hub_process import HubProcess
from tests.waiting import eventually

from .chrome import own_chrome
from .shop_scene import TIMEOUT_MS, Opening

# Both read the state in the same turn of the event loop, before any time has passed.
COMES_TO_THE_FRONT = "button => { document.dispatchEvent(new Event('visibilitychange')); return button.disabled }"
RECORD_FIRST_BUTTONS = """() => {
  new MutationObserver(() => {
    const buttons = [...document.querySelectorAll('article button')];
    if (buttons.length) window.firstButtons ??= buttons.every((one) => one.disabled) ? 'all off' : 'some on';
  }).observe(document.getElementById('approvals'), { childList: true });
}"""


async def test_an_action_waits_for_approval_in_the_panel(opening: Opening) -> None:
    async with opening() as scene:
        paying = asyncio.create_task(call(scene.agent, "browser_click", element="text=Pay now"))
        card = scene.panel.get_by_role("article")
        await expect(card.get_by_role("heading")).to_contain_text("Pay now", timeout=TIMEOUT_MS)
        await expect(card).to_contain_text("127.0.0.1")
        await expect(card.get_by_role("img")).to_be_visible()
        await expect(scene.panel.locator("#announce")).to_contain_text("Pay now")
        for shown in ("Amount: 49.00 EUR", "Sends a form to 127.0.0.1", "Ada Lovelace", "Tool: browser_click"):
            await expect(card).to_contain_text(shown)
        await expect(card.get_by_role("button", name="This session")).to_have_count(0)
        assert await scene.page.title() != "Paid"
        await scene.panel.get_by_role("button", name="Allow once").click()
        await paying
        assert await scene.page.title() == "Paid"
        await expect(card).to_have_count(0)


async def test_the_buttons_of_a_new_card_are_disabled_at_first(opening: Opening) -> None:
    async with opening() as scene:
        await scene.panel.evaluate(RECORD_FIRST_BUTTONS)
        asking = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        deny = scene.panel.get_by_role("button", name="Deny", exact=False).first
        await expect(deny).to_be_enabled(timeout=TIMEOUT_MS)
        assert await scene.panel.evaluate("window.firstButtons") == "all off"
        await scene.panel.bring_to_front()
        assert await deny.evaluate(COMES_TO_THE_FRONT), "the buttons are disabled when the page comes to the front"
        await deny.click()
        assert (await asking)["error"] == "APPROVAL_DENIED"


async def test_a_key_denies_and_typed_text_is_shown(opening: Opening) -> None:
    async with opening() as scene:
        typing = asyncio.create_task(fail(scene.agent, "browser_type", element="[name=coupon]", text="SPRING"))
        card = scene.panel.get_by_role("article")
        await expect(card).to_contain_text("SPRING", timeout=TIMEOUT_MS)
        await expect(card.get_by_role("button").first).to_be_enabled()
        await scene.panel.keyboard.press("Escape")
        await expect(card).to_be_visible()
        await scene.panel.keyboard.press("d")
        refused = await typing
        assert refused["error"] == "APPROVAL_DENIED"
        assert await scene.page.locator("[name=coupon]").input_value() == ""


async def test_a_long_value_can_be_allowed_only_after_all_of_it_was_shown(opening: Opening) -> None:
    async with opening() as scene:
        long = "Dear Bob, lunch on Friday? " * 20 + "PS: please wire 9,000 EUR."
        typing = asyncio.create_task(call(scene.agent, "browser_type", element="[name=coupon]", text=long))
        card = scene.panel.get_by_role("article")
        allow = card.get_by_role("button", name="Allow once")
        await expect(card.get_by_role("button", name="Deny", exact=False).first).to_be_enabled(timeout=TIMEOUT_MS)
        await expect(allow).to_be_disabled()
        await expect(card.get_by_text("PS: please wire")).to_be_hidden()
        await scene.panel.keyboard.press("a")
        await card.get_by_text(f"Show all {len(long)} characters").click()
        await expect(card.get_by_text("PS: please wire")).to_be_visible()
        assert not typing.done()
        await allow.click()
        await typing
        assert await scene.page.locator("[name=coupon]").input_value() == long


async def test_a_synthetic_click_decides_nothing(opening: Opening) -> None:
    async with opening() as scene:
        paying = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        button = scene.panel.get_by_role("button", name="Allow once")
        await expect(button).to_be_enabled(timeout=TIMEOUT_MS)
        await button.evaluate("button => button.click()")
        await scene.panel.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))")
        await expect(button).to_be_enabled()
        assert not paying.done()
        await scene.panel.get_by_role("button", name="Deny", exact=False).first.click()
        assert (await paying)["error"] == "APPROVAL_DENIED"


async def test_neither_a_page_nor_an_agent_can_decide(opening: Opening) -> None:
    async with opening() as scene:
        paying = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        card = scene.panel.get_by_role("article")
        await expect(card).to_be_visible(timeout=TIMEOUT_MS)
        params = {"id": await card.get_attribute("data-id"), "choice": "once"}
        decision = {"type": "hub_request", "name": "decide", "params": params}
        # A local page may offer a pairing code to the extension, and nothing else.
        offer = """([id, message]) => new Promise((resolve) => {
            chrome.runtime.sendMessage(id, message, resolve);
            setTimeout(resolve, 500);
        })"""
        for to in ("offscreen", "service_worker"):
            assert not await scene.page.evaluate(offer, [EXTENSION_ID, {"to": to, **decision}])
        address = f"chrome-extension://{EXTENSION_ID}/pages/side_panel.html"
        assert (await fail(scene.agent, "browser_navigate", url=address))["error"] == "DOMAIN_DENIED"
        async with scene.chrome.context.expect_page() as attempt:
            await scene.page.evaluate("(address) => void open(address)", address)
        assert (await attempt.value).url != address
        await (await attempt.value).close()
        await expect(card).to_be_visible()
        assert not paying.done()
        await scene.panel.bring_to_front()
        await scene.panel.get_by_role("button", name="Deny", exact=False).first.click()
        assert (await paying)["error"] == "APPROVAL_DENIED"


async def test_a_paused_call_waits_for_the_user_and_is_recorded(opening: Opening) -> None:
    async with opening() as scene:
        await scene.panel.get_by_role("button", name="Pause").click()
        await expect(scene.panel.locator("#state")).to_have_text("Paused")
        late = await fail(scene.agent, "browser_snapshot", timeout_ms=200)
        assert (late["error"], late["retryable"]) == ("PAUSED_BY_USER", True)
        reading = asyncio.create_task(call(scene.agent, "browser_snapshot"))
        await expect(scene.panel.locator("#activity")).to_contain_text("Look at the page", timeout=TIMEOUT_MS)
        assert not reading.done()
        await scene.panel.get_by_role("button", name="Resume").click()
        await reading
        recorded = run_pilot(scene.hub.home, "log", "--json").out
        assert "PAUSED_BY_USER" in recorded


async def test_stop_ends_what_was_allowed_for_the_session(opening: Opening) -> None:
    async with opening() as scene:
        for choice in ("This session", None):
            typing = asyncio.create_task(call(scene.agent, "browser_type", element="[name=coupon]", text="A"))
            if choice:
                await scene.panel.get_by_role("button", name=choice).click(timeout=TIMEOUT_MS)
            await typing
        await scene.panel.get_by_role("button", name="Stop").click()
        await expect(scene.panel.locator("#state")).to_have_text("Stopped by you")
        refused = await fail(scene.agent, "browser_snapshot")
        assert (refused["error"], refused["retryable"]) == ("PERMISSION_DENIED", False)
        assert "stopped" in refused["message"]
        await scene.chrome.share(scene.page)
        await expect(scene.panel.locator("#state")).to_have_text("Connected")
        typing = asyncio.create_task(fail(scene.agent, "browser_type", element="[name=coupon]", text="A"))
        await scene.panel.bring_to_front()
        await scene.panel.get_by_role("button", name="Deny", exact=False).first.click(timeout=TIMEOUT_MS)
        assert (await typing)["error"] == "APPROVAL_DENIED"


async def test_a_tab_is_listed_under_its_own_agent_only(opening: Opening) -> None:
    async with opening() as scene, http_client(scene.hub) as other:
        await call(other, "browser_tabs")
        await expect(scene.panel.locator("#agents > li")).to_have_count(2)
        await expect(scene.panel.locator("#agents .tab")).to_have_count(1)


async def test_the_agent_learns_at_once_that_nobody_can_see_its_request(opening: Opening) -> None:
    async with opening() as scene:
        await scene.panel.goto("about:blank")
        await scene.panel.bring_to_front()
        refused = await fail(scene.agent, "browser_click", element="text=Pay now")
        assert refused["error"] == "APPROVAL_DENIED"
        assert "cannot see the request" in refused["message"]
        await scene.page.bring_to_front()  # now its indicator shows the request
        asking = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        panel = await scene.chrome.panel(scene.page)
        await panel.get_by_role("button", name="Deny", exact=False).first.click(timeout=TIMEOUT_MS)
        assert "cannot see" not in (await asking)["message"]
        await panel.close()


async def test_the_badge_counts_pending_approvals(opening: Opening) -> None:
    async with opening() as scene:
        waiting = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        worker = await scene.chrome.worker()
        tab = await scene.chrome.tab_id(scene.page)

        async def badge_is_one() -> bool:
            return await worker.evaluate("(tabId) => chrome.action.getBadgeText({ tabId })", tab) == "1"

        await eventually(badge_is_one)
        popup = await scene.chrome.popup(scene.page)
        await expect(popup.locator("#state")).to_have_text("Needs you")
        await expect(popup.get_by_role("button", name="Review")).to_be_visible()
        await popup.close()
        await scene.panel.get_by_role("button", name="Deny", exact=False).first.click()
        await waiting


async def test_the_user_changes_the_sites_rule_in_the_panel(opening: Opening, asking_hub: HubProcess) -> None:
    async with opening() as scene:
        level = scene.panel.get_by_role("combobox", name="What agents may do")
        await expect(level).to_contain_text("Default (Ask before acting)")
        await level.select_option("free")
        await expect(scene.panel.locator("#level-rule")).to_contain_text("side panel", timeout=TIMEOUT_MS)
        await call(scene.agent, "browser_type", element="[name=coupon]", text="SPRING")
        await level.select_option("look")
        await expect(scene.panel.locator("#level-rule")).to_contain_text("side panel")
        assert (await fail(scene.agent, "browser_type", element="[name=coupon]", text="X"))["error"] == "DOMAIN_DENIED"
        await level.select_option("default")
        await expect(level).to_have_value("default")
        assert UserRulesStore(asking_hub.home).load() == ()


async def test_the_mode_is_switched_in_the_panel(opening: Opening) -> None:
    async with opening() as scene:
        await scene.panel.get_by_text("Read-only", exact=True).click()
        await expect(scene.panel.locator("#mode-hint")).to_contain_text("change nothing", timeout=TIMEOUT_MS)
        assert (await fail(scene.agent, "browser_click", element="text=Pay now"))["error"] == "READ_ONLY"
        await scene.panel.get_by_text("Ask", exact=True).click()
        await expect(scene.panel.get_by_role("radio", name="Ask")).to_be_checked(timeout=TIMEOUT_MS)


async def test_activity_is_shown_with_result_duration_and_details(opening: Opening) -> None:
    async with opening() as scene:
        await fail(scene.agent, "browser_wait_for", text="Nowhere", timeout_ms=100)
        line = scene.panel.locator("#activity li").filter(has_text="Wait for").first
        await expect(line.get_by_role("img", name="Failed")).to_be_visible(timeout=TIMEOUT_MS)
        await expect(line.locator(".duration")).to_contain_text("ms")
        await line.locator("summary").click()
        await expect(line).to_contain_text("browser_wait_for")
        await scene.panel.get_by_label("Filter").fill("no such thing at all")
        await expect(scene.panel.locator("#activity-none")).to_have_text("Nothing matches this filter.")
        await scene.panel.get_by_label("Filter").fill("")
        await scene.panel.get_by_label("Result").select_option("ok")
        await expect(scene.panel.locator("#activity li").first).to_be_visible()
        await expect(scene.panel.get_by_role("img", name="Failed")).to_have_count(0)
        await scene.panel.get_by_label("Result").select_option("")


async def test_agents_with_their_steps_and_tabs_are_listed_and_shown(opening: Opening) -> None:
    async with opening() as scene:
        await expect(scene.panel.locator("#agents")).to_contain_text("of 200 steps", timeout=TIMEOUT_MS)
        await scene.panel.bring_to_front()
        await scene.panel.get_by_role("button", name="Show the tab Checkout").click()
        worker = await scene.chrome.worker()
        front = "() => chrome.tabs.query({ active: true, lastFocusedWindow: true }).then((tabs) => tabs[0].url)"

        async def is_in_front() -> bool:
            return await worker.evaluate(front) == scene.page.url

        await eventually(is_in_front)


async def test_stop_denies_pending_approvals_and_releases_every_tab(opening: Opening) -> None:
    async with opening() as scene:
        waiting = asyncio.create_task(fail(scene.agent, "browser_click", element="text=Pay now"))
        await expect(scene.panel.get_by_role("article")).to_be_visible(timeout=TIMEOUT_MS)
        await scene.panel.get_by_role("button", name="Stop", exact=False).first.click()
        await expect(scene.panel.locator("#state")).to_have_text("Stopped by you", timeout=TIMEOUT_MS)
        assert (await waiting)["error"] == "APPROVAL_DENIED"
        await expect(scene.panel.get_by_role("article")).to_have_count(0)
        assert (await fail(scene.agent, "browser_snapshot"))["error"] in ("PERMISSION_DENIED", "NO_TAB")
        await scene.panel.get_by_role("button", name="Resume").click()
        await expect(scene.panel.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)


async def test_a_picked_element_gets_selectors_and_is_given_to_the_agent(opening: Opening) -> None:
    async with opening() as scene:
        assert (await call(scene.agent, "browser_picked"))["picked"] is False
        await scene.panel.get_by_role("button", name="Pick an element").click()
        await expect(scene.panel.locator("#pick-note")).to_contain_text("Click an element")
        await scene.page.bring_to_front()
        second = scene.page.get_by_role("listitem").filter(has_text="Cake").get_by_role("button")
        box = await second.bounding_box()
        assert box is not None
        await scene.page.mouse.move(box["x"] + 5, box["y"] + 5)
        await scene.page.mouse.click(box["x"] + 6, box["y"] + 6)
        await expect(scene.panel.locator("#pick-note")).to_have_text("button “Remove”", timeout=TIMEOUT_MS)
        best = scene.panel.locator("#picked > div").first
        await expect(best).to_contain_text("Best")
        await expect(best).to_contain_text("unique")
        await expect(best.locator("code")).to_contain_text("Cake")
        await scene.panel.bring_to_front()
        await scene.panel.get_by_role("button", name="Give to the agent").click()
        await expect(scene.panel.locator("#pick-note")).to_contain_text("browser_picked", timeout=TIMEOUT_MS)
        picked = await call(scene.agent, "browser_picked")
        assert (picked["role"], picked["name"]) == ("button", "Remove")
        snapshot = await call(scene.agent, "browser_snapshot", element=picked["ref"])
        assert snapshot["elements"][0]["ref"] == picked["ref"]
        assert await scene.page.evaluate("document.title") == "Checkout - Example Shop"


async def test_picking_ends_with_escape_and_leaves_nothing_behind(opening: Opening) -> None:
    async with opening() as scene:
        await scene.panel.get_by_role("button", name="Pick an element").click()
        await expect(scene.page.locator("browser-pilot-picker")).to_have_count(1)
        await scene.page.bring_to_front()
        await scene.page.keyboard.press("Escape")
        await expect(scene.panel.get_by_role("button", name="Pick an element")).to_be_visible(timeout=TIMEOUT_MS)
        await expect(scene.page.locator("browser-pilot-picker")).to_have_count(0)


async def test_an_unpaired_browser_links_to_its_settings(tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        panel = await chrome.panel()
        await expect(panel.locator("#problem-text")).to_have_text("This browser is not paired yet.")
        async with chrome.context.expect_page() as settings:
            await panel.get_by_role("button", name="Pair").click()
        await expect((await settings.value).get_by_label("Pairing code")).to_be_visible()
