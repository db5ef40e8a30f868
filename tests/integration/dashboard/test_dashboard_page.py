"""The dashboard page: what it shows, approval decisions, pairing, layout and accessibility."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.client import Client
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.clients import call, fail, http_client
from tests.commands import run_pilot
from tests.extension_bridge.fake_extension import FakeBrowser, Refused
from tests.hub_process import HubProcess, running_hub
from tests.integration.user_chrome.shop_scene import accessibility_violations
from tests.sites import Site

from .dashboard_client import TIMEOUT_MS, address, open_dashboard, sign_in

FOCUSABLE = """() => [...document.querySelectorAll('button, input, select, summary, a')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled'))
  .map((one) => one.type === 'radio' ? one.name : one.id || one.dataset.choice || one.textContent)"""
FOCUSED = """() => { const one = document.activeElement;
  if (one === document.body) return ['', ''];
  const style = getComputedStyle(one.type === 'radio' ? one.parentElement : one);
  return [one.type === 'radio' ? one.name : one.id || one.dataset.choice || one.textContent, style.outlineStyle] }"""


@asynccontextmanager
async def shopper(hub: HubProcess, shop: Site) -> AsyncGenerator[Client]:
    """An agent at the shop's checkout, where every action needs approval."""
    async with http_client(hub, query="?tools=full") as agent:
        await call(agent, "browser_navigate", url=shop.url("/"))
        yield agent


async def title(agent: Client) -> str:
    return str((await call(agent, "browser_tabs"))["tabs"][0]["title"])


async def test_an_action_waits_until_the_user_approves_it_on_the_dashboard(
    page: Page, asking: HubProcess, shop: Site
) -> None:
    async with shopper(asking, shop) as agent:
        paying = asyncio.create_task(call(agent, "browser_click", element="text=Pay now"))
        card = page.get_by_role("article")
        await expect(card.get_by_role("heading")).to_contain_text("Pay now", timeout=TIMEOUT_MS)
        await expect(card).to_contain_text("127.0.0.1")
        await expect(card.get_by_role("img")).to_be_visible()
        await expect(card).to_contain_text("Sends a form to 127.0.0.1")
        await expect(page.locator("#state")).to_have_text("Needs you")
        await expect(page.locator("#announce")).to_contain_text("Pay now")
        await expect(page).to_have_title("(1) Needs you · Browser Pilot")
        assert not paying.done()
        await card.get_by_role("button", name="Allow once").click()
        await paying
        assert await title(agent) == "Paid"
        await expect(card).to_have_count(0)
        await expect(page).to_have_title("Browser Pilot")
    with asking.http() as http:
        assert 'answer="once",door="dashboard"' in http.get("/metrics").text


async def test_the_d_key_denies(page: Page, asking: HubProcess, shop: Site) -> None:
    async with shopper(asking, shop) as agent:
        typing = asyncio.create_task(fail(agent, "browser_type", element="[name=coupon]", text="SPRING"))
        card = page.get_by_role("article")
        await expect(card).to_contain_text("SPRING", timeout=TIMEOUT_MS)
        await expect(card.get_by_role("button").first).to_be_enabled()
        await page.keyboard.press("Escape")
        await expect(card).to_be_visible()
        await page.keyboard.press("d")
        assert (await typing)["error"] == "APPROVAL_DENIED"


async def test_a_synthetic_click_or_key_decides_nothing(page: Page, asking: HubProcess, shop: Site) -> None:
    async with shopper(asking, shop) as agent:
        paying = asyncio.create_task(fail(agent, "browser_click", element="text=Pay now"))
        button = page.get_by_role("button", name="Allow once")
        await expect(button).to_be_enabled(timeout=TIMEOUT_MS)
        await button.evaluate("button => button.click()")
        await page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))")
        await expect(button).to_be_enabled()
        assert not paying.done()
        await page.get_by_role("button", name="Deny", exact=False).first.click()
        assert (await paying)["error"] == "APPROVAL_DENIED"


async def test_a_request_decided_elsewhere_disappears_from_the_dashboard(
    page: Page, asking: HubProcess, shop: Site
) -> None:
    async with shopper(asking, shop) as agent:
        paying = asyncio.create_task(fail(agent, "browser_click", element="text=Pay now"))
        card = page.get_by_role("article")
        await expect(card).to_be_visible(timeout=TIMEOUT_MS)
        approval = await card.get_attribute("data-id")
        assert approval is not None
        await asyncio.to_thread(run_pilot, asking.home, "deny", approval)
        assert (await paying)["error"] == "APPROVAL_DENIED"
        await expect(card).to_have_count(0, timeout=TIMEOUT_MS)


async def test_approval_can_be_requested_only_while_the_dashboard_is_open(
    context: BrowserContext, asking: HubProcess, shop: Site
) -> None:
    client = sign_in(asking)
    assert client.request().status_code == 200
    async with shopper(asking, shop) as agent:
        refused = await fail(agent, "browser_click", element="text=Pay now")
        assert "no approval channel is open" in refused["message"]
        assert "browser-pilot dashboard" in " ".join(refused["suggestions"])
        page = await open_dashboard(context, asking)
        waiting = asyncio.create_task(fail(agent, "browser_click", element="text=Pay now"))
        await page.get_by_role("button", name="Deny", exact=False).first.click(timeout=TIMEOUT_MS)
        assert (await waiting)["error"] == "APPROVAL_DENIED"


async def test_agents_tabs_steps_and_activity_are_shown(page: Page, asking: HubProcess, shop: Site) -> None:
    async with shopper(asking, shop) as agent:
        agents = page.locator("#agents")
        await expect(agents).to_contain_text("of 200 steps", timeout=TIMEOUT_MS)
        await expect(agents).to_contain_text("Managed browser")
        await expect(agents).to_contain_text(shop.url("/"))
        await fail(agent, "browser_wait_for", text="Nowhere", timeout_ms=100)
        line = page.locator("#activity li").filter(has_text="Wait for").first
        await expect(line.get_by_role("img", name="Failed")).to_be_visible(timeout=TIMEOUT_MS)
        await line.locator("summary").click()
        await expect(line).to_contain_text("browser_wait_for")
        await page.get_by_label("Filter").fill("no such thing at all")
        await expect(page.locator("#activity-none")).to_have_text("Nothing matches this filter.")


async def test_an_empty_hub_says_what_to_do_next(context: BrowserContext, home: Path) -> None:
    with running_hub(home) as hub:
        page = await open_dashboard(context, hub)
        await expect(page.locator("#agents-none")).to_contain_text("browser-pilot mcp-config")
        await expect(page.locator("#browsers-none")).to_contain_text("browser-pilot extension")
        await expect(page.get_by_role("button", name="Pair a browser")).to_be_visible()
        await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        assert await accessibility_violations(page) == []


async def test_a_browser_is_paired_by_code_paused_renamed_and_removed(context: BrowserContext, home: Path) -> None:
    with running_hub(home) as hub:
        page = await open_dashboard(context, hub)
        await page.get_by_role("button", name="Pair a browser").click()
        code, line = page.locator("#pairing-code"), page.locator("#browsers li")
        await expect(code).not_to_be_empty()
        await expect(page.locator("#pairing-expiry")).to_contain_text("left")
        browser = FakeBrowser(hub.info.port, code=await code.inner_text())
        async with browser.socket() as socket:
            await browser.greet(socket)
            connected = asyncio.create_task(browser.live(socket))
            await expect(line).to_contain_text("Connected", timeout=TIMEOUT_MS)
            await expect(page.locator("#pairing-note")).to_contain_text("is paired")
            await expect(code).to_be_hidden()
            await page.get_by_text("Read-only", exact=True).click()
            await expect(page.locator("#mode-hint")).to_contain_text("change nothing", timeout=TIMEOUT_MS)
            assert 'own_mode = "readonly"' in (home / "config.toml").read_text()
            for press, status in (("Pause", "Paused"), ("Resume", "Connected"), ("Stop", "Stopped by you")):
                await page.get_by_role("button", name=press).click()
                await expect(line).to_contain_text(status, timeout=TIMEOUT_MS)
            await expect(page.locator("#note")).to_contain_text("You have stopped agents in your browsers")
            assert await accessibility_violations(page) == []
        await connected
        await expect(line).to_contain_text("Not connected", timeout=TIMEOUT_MS)
        await page.get_by_role("button", name="Rename Chrome").click()
        await page.get_by_label("New name").fill("Work")
        await page.keyboard.press("Enter")
        await expect(line.locator("strong")).to_have_text("Work")
        await page.get_by_role("button", name="Forget Work").click()
        await page.keyboard.press("Escape")
        await expect(line.locator("strong")).to_have_text("Work")
        await page.get_by_role("button", name="Forget Work").click()
        await page.get_by_role("button", name="Forget", exact=True).click()
        await expect(line).to_have_count(0)
        assert run_pilot(home, "browsers", "--json").data == []


async def test_an_exhausted_pairing_code_is_reported_and_a_new_one_offered(context: BrowserContext, home: Path) -> None:
    with running_hub(home) as hub:
        page = await open_dashboard(context, hub)
        await page.get_by_role("button", name="Pair a browser").click()
        await expect(page.locator("#pairing-code")).not_to_be_empty()
        for _ in range(5):
            unpaired = FakeBrowser(hub.info.port, code="AAAA-AAAA")
            async with unpaired.socket() as socket:
                with pytest.raises(Refused):
                    await unpaired.greet(socket)
        await expect(page.locator("#pairing-note")).to_contain_text("no longer valid", timeout=TIMEOUT_MS)
        await expect(page.get_by_role("button", name="Pair a browser")).to_be_visible()


async def test_a_failed_health_check_is_shown(page: Page, asking: HubProcess) -> None:
    config = asking.home / "config.toml"
    good = config.read_text()
    config.write_text(good.replace("step_budget = 200", 'step_budget = "many"'))
    try:
        await expect(page.locator("#problems")).to_contain_text("the last change is invalid", timeout=TIMEOUT_MS)
    finally:
        config.write_text(good)
    await expect(page.locator("#problems")).to_be_hidden(timeout=TIMEOUT_MS)


async def test_the_dashboard_has_no_serious_accessibility_violations(
    page: Page, asking: HubProcess, shop: Site
) -> None:
    async with shopper(asking, shop) as agent:
        typing = asyncio.create_task(fail(agent, "browser_type", element="[name=coupon]", text="SPRING"))
        await page.get_by_role("button", name="Pair a browser").click()
        await expect(page.locator("#pairing-code")).not_to_be_empty()
        deny = page.get_by_role("button", name="Deny", exact=False).first
        await expect(deny).to_be_enabled(timeout=TIMEOUT_MS)
        assert await accessibility_violations(page) == []
        await deny.click()
        await typing


@pytest.mark.parametrize("file", ["signed_out", "wrong_origin"])
async def test_the_sign_in_pages_have_no_serious_accessibility_violations(
    context: BrowserContext, asking: HubProcess, file: str
) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"} if file == "wrong_origin" else {}
    page = await context.new_page()
    await page.set_extra_http_headers(headers)
    await page.goto(address(asking))
    assert await accessibility_violations(page) == []


async def test_every_control_is_reachable_by_keyboard_with_visible_focus(page: Page) -> None:
    await expect(page.locator("#activity li").first).to_be_visible(timeout=TIMEOUT_MS)
    wanted = set(await page.evaluate(FOCUSABLE))
    found: set[str] = set()
    for _ in range(len(wanted) + 80):
        await page.keyboard.press("Tab")
        name, outline = await page.evaluate(FOCUSED)
        assert not name or outline != "none", name
        found.add(name)
    assert found >= wanted


@pytest.mark.parametrize("width", [280, 360, 768, 1280, 2200])
async def test_it_fits_every_width(page: Page, asking: HubProcess, shop: Site, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    async with shopper(asking, shop) as agent:
        paying = asyncio.create_task(fail(agent, "browser_click", element="text=Pay now"))
        deny = page.get_by_role("button", name="Deny", exact=False).first
        await expect(deny).to_be_enabled(timeout=TIMEOUT_MS)
        sizes = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert sizes[0] <= sizes[1]
        await deny.click()
        await paying


async def test_it_is_shown_in_german_and_keeps_the_chosen_theme(chromium: Browser, asking: HubProcess) -> None:
    context = await chromium.new_context(locale="de-AT")
    page = await open_dashboard(context, asking)
    await expect(page.locator("#state")).to_have_text("Verbunden")
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await page.get_by_label("Farben").select_option("dark")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await context.close()
