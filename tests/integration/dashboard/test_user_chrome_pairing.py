"""The dashboard in the user's own Chrome: paired from there through the real extension, and out of reach for agents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Error, expect

from ..clients import call, fail, http_client
from ..hub_process import HubProcess, running_hub
from ..own.chrome import Chrome, own_chrome
from ..own.scene import ASKING
from ..sites import Site
from .visitor import PATIENCE_MS, address, enter

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
    page = await enter(users_browser.context, own_hub)
    await page.get_by_role("button", name="Pair a browser").click()
    async with users_browser.context.expect_page() as settings:
        await page.get_by_role("button", name="Pair this browser").click()
    options = await settings.value
    await expect(options.get_by_label("Server")).to_have_value(f"127.0.0.1:{own_hub.info.port}", timeout=PATIENCE_MS)
    await expect(page.locator("#pairing-note")).to_contain_text("press “Pair” on its page")
    assert await page.locator("#browsers li").count() == 0, "nothing is paired before the user says so"
    await options.get_by_role("button", name="Pair", exact=True).click()
    await expect(options.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)
    await expect(page.locator("#pairing-note")).to_contain_text("is paired", timeout=PATIENCE_MS)
    await expect(page.locator("#browsers li")).to_contain_text("Connected")
    await expect(page.locator("#pairing")).to_be_hidden()


async def test_a_browser_that_the_hub_forgot_while_it_was_away_is_paired_anew_by_the_link(
    own_hub: HubProcess, users_browser: Chrome
) -> None:
    await users_browser.pair(own_hub)
    popup = await users_browser.popup()
    await popup.get_by_role("button", name="Switch off").click()
    await expect(popup.locator("#state")).to_have_text("Switched off")
    with own_hub.http() as http:
        for browser in http.get("/api/browsers").json():
            http.post("/api/browsers/forget", json={"browser": browser["id"]})
    await popup.get_by_role("button", name="Switch on").click()
    page = await enter(users_browser.context, own_hub)
    await page.get_by_role("button", name="Pair a browser").click()
    async with users_browser.context.expect_page() as settings:
        await page.get_by_role("button", name="Pair this browser").click()
    options = await settings.value
    await options.get_by_role("button", name="Pair", exact=True).click(timeout=PATIENCE_MS)
    await expect(options.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)


async def test_no_agent_gets_to_the_dashboard(own_hub: HubProcess, users_browser: Chrome, shop: Site) -> None:
    await users_browser.pair(own_hub)
    page = await enter(users_browser.context, own_hub)
    popup = await users_browser.popup(page)
    await expect(popup.locator("#tab-note")).to_contain_text("hub's own page", timeout=PATIENCE_MS)
    await expect(popup.get_by_role("button", name="Connect this tab")).to_be_hidden()
    shared = await users_browser.open(shop.url("/"))
    await users_browser.share(shared)
    async with http_client(own_hub) as agent:
        await call(agent, "browser_snapshot")
        for url in (f"{address(own_hub)}/", f"http://localhost:{own_hub.info.port}/"):
            assert (await fail(agent, "browser_navigate", url=url))["error"] == "DOMAIN_DENIED"
        # The page itself, with whatever the agent gave it, does not get there either.
        with pytest.raises(Error, match="ERR_BLOCKED_BY_CLIENT"):
            async with shared.expect_navigation():
                await shared.evaluate("(url) => { location.href = url }", f"{address(own_hub)}/")


async def test_the_worker_itself_refuses_to_share_it(own_hub: HubProcess, users_browser: Chrome) -> None:
    await users_browser.pair(own_hub)
    page = await enter(users_browser.context, own_hub)
    popup = await users_browser.popup(page)
    tab = await users_browser.tab_id(page)
    told = await popup.evaluate("(tab) => chrome.runtime.sendMessage({ to: 'worker', ask: 'connect', tab })", tab)
    assert told == {"problem": "cannot be shared"}
