"""The dashboard in the user's own Chrome: pairing through the real extension, and no access for agents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Error, expect

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.integration.user_chrome.chrome import Chrome, own_chrome
from tests.integration.user_chrome.shop_scene import ASKING
from tests.sites import Site

from .dashboard_client import TIMEOUT_MS, address, open_dashboard

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def own_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("own-dashboard") / "home"
    home.mkdir()
    (home / "config.toml").write_text(ASKING)
    with running_hub(home) as process:
        yield process


@pytest_asyncio.fixture(loop_scope="session")
async def users_browser(tmp_path: Path) -> AsyncIterator[Chrome]:
    async with own_chrome(tmp_path) as chrome:
        yield chrome


async def test_the_pairing_link_pairs_this_browser(own_hub: HubProcess, users_browser: Chrome) -> None:
    page = await open_dashboard(users_browser.context, own_hub)
    await page.get_by_role("button", name="Pair a browser").click()
    await page.get_by_role("button", name="Pair this browser").click()
    await expect(page.locator("#pairing-note")).to_contain_text(f"enter 127.0.0.1:{own_hub.info.port} as the server")
    await users_browser.set_server(own_hub.info.port)
    async with users_browser.context.expect_page() as settings:
        await page.get_by_role("button", name="Pair this browser").click()
    options = await settings.value
    await expect(options.get_by_label("Server")).to_have_value(f"127.0.0.1:{own_hub.info.port}", timeout=TIMEOUT_MS)
    await expect(page.locator("#pairing-note")).to_contain_text("Click “Pair” on its page")
    assert await page.locator("#browsers li").count() == 0, "nothing is paired before the user confirms"
    assert await options.evaluate("document.activeElement.id") != "pair", "a key press must not confirm"
    await options.get_by_role("button", name="Pair", exact=True).click()
    await expect(options.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
    await expect(page.locator("#pairing-note")).to_contain_text("is paired", timeout=TIMEOUT_MS)
    await expect(page.locator("#browsers li")).to_contain_text("Connected")
    await expect(page.locator("#pairing")).to_be_hidden()


async def test_a_browser_removed_while_disconnected_is_paired_again_by_the_link(
    own_hub: HubProcess, users_browser: Chrome
) -> None:
    await users_browser.pair(own_hub)
    popup = await users_browser.popup()
    await popup.get_by_role("button", name="Turn off").click()
    await expect(popup.locator("#state")).to_have_text("Turned off")
    with own_hub.http() as http:
        for browser in http.get("/api/browsers").json():
            http.post("/api/browsers/forget", json={"browser": browser["id"]})
    await popup.get_by_role("button", name="Turn on").click()
    page = await open_dashboard(users_browser.context, own_hub)
    await page.get_by_role("button", name="Pair a browser").click()
    await page.get_by_role("button", name="Pair this browser").click()
    await expect(page.locator("#pairing-note")).to_contain_text("is paired already")
    options = await users_browser.options()
    await options.get_by_role("button", name="Forget this pairing").click()
    await page.bring_to_front()
    await page.get_by_role("button", name="Pair this browser").click()
    await options.get_by_role("button", name="Pair", exact=True).click(timeout=TIMEOUT_MS)
    await expect(options.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)


async def test_agents_cannot_open_the_dashboard(own_hub: HubProcess, users_browser: Chrome, shop: Site) -> None:
    await users_browser.pair(own_hub)
    page = await open_dashboard(users_browser.context, own_hub)
    popup = await users_browser.popup(page)
    await expect(popup.locator("#tab-note")).to_contain_text("hub's own page", timeout=TIMEOUT_MS)
    await expect(popup.get_by_role("button", name="Connect this tab")).to_be_hidden()
    shared = await users_browser.open(shop.url("/"))
    await users_browser.share(shared)
    async with http_client(own_hub) as agent:
        await call(agent, "browser_snapshot")
        for url in (f"{address(own_hub)}/", f"http://localhost:{own_hub.info.port}/"):
            assert (await fail(agent, "browser_navigate", url=url))["error"] == "DOMAIN_DENIED"
        # A navigation by the page itself is blocked too.
        with pytest.raises(Error, match="ERR_BLOCKED_BY_CLIENT"):
            async with shared.expect_navigation():
                await shared.evaluate("(url) => { location.href = url }", f"{address(own_hub)}/")


async def test_the_service_worker_refuses_to_share_the_dashboard(own_hub: HubProcess, users_browser: Chrome) -> None:
    await users_browser.pair(own_hub)
    page = await open_dashboard(users_browser.context, own_hub)
    popup = await users_browser.popup(page)
    tab = await users_browser.tab_id(page)
    response = await popup.evaluate(
        "(tab) => chrome.runtime.sendMessage({ to: 'service_worker', type: 'connect', tab })", tab
    )
    assert response == {"problem": "cannot be shared"}
