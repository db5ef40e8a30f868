"""Guests in the user's own Chrome, through the extension: with its logins, and without a change of the active tab."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.async_api import Page

from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.installed.manifest import GuestPermission
from tests.clients import call, fail, http_client, text_of
from tests.guests.guest_factory import package, script
from tests.guests.wasm_builder import EXAMPLES
from tests.hub_process import HubProcess, running_hub
from tests.integration.user_chrome.chrome import Chrome, own_chrome
from tests.waiting import eventually

from .newspaper_site import PASSWORD, READER, STORY, Newspaper, serving_newspaper
from .test_newspaper import add, site_of

pytestmark = pytest.mark.browser

ASKING = package(
    script("return JSON.stringify(await MCP.requestHost(args.method, args.params))"),
    name="asking",
    tools=[{"name": "ask", "description": "Asks the host.", "inputSchema": {"type": "object"}}],
)
PERMISSIONS: list[GuestPermission] = [
    "browser:tabs.create",
    "browser:activeTab.read",
    "browser:login",
    "browser:cookies.read",
]


@pytest.fixture
def paper() -> Generator[Newspaper]:
    with serving_newspaper() as newspaper:
        yield newspaper


@pytest.fixture
def hub(home: Path, modules: Path, paper: Newspaper) -> Generator[HubProcess]:
    """A hub whose clients use managed browsers; guests use the Chrome that is paired."""
    store = GuestStore(home)
    store.folder.mkdir(parents=True)
    modules.mkdir(exist_ok=True)
    store.cache_folder.symlink_to(modules)
    add(home, EXAMPLES / "newspaper-js")
    store.install(ASKING, ASKING.manifest.tools or (), source="a test")
    for guest in ("newspaper", "asking"):
        GrantStore(home).save(store.load(guest).identity, PERMISSIONS, site_of(paper), "allow")
    (home / "config.toml").write_text('[policy]\nown_mode = "auto"\n')
    with running_hub(home) as process:
        yield process


async def sign_in(page: Page) -> None:
    await page.get_by_label("Email").fill(READER)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()


async def active_urls(chrome: Chrome) -> list[str]:
    return [str(tab["url"]) for tab in await chrome.tabs() if tab["active"]]


async def test_a_guest_reads_with_the_logins_of_the_users_chrome(
    hub: HubProcess, paper: Newspaper, tmp_path: Path
) -> None:
    async with own_chrome(tmp_path / "chrome") as chrome, http_client(hub) as client:
        await chrome.pair(hub)
        url = paper.url("/article")
        refused = await fail(client, "newspaper__get_article", url=url)
        assert "not signed in" in refused["message"]

        users = await chrome.open(paper.url("/login"))
        await sign_in(users)
        await users.get_by_text("Welcome").wait_for()
        before, tabs = await active_urls(chrome), len(await chrome.tabs())
        result = await client.call_tool("newspaper__get_article", {"url": url})

        assert not result.is_error, text_of(result)
        assert STORY in text_of(result)
        assert (await active_urls(chrome), len(await chrome.tabs())) == (before, tabs)
        # The client's managed browser is another one, without a login.
        await call(client, "browser_navigate", url=url)
        assert "Please sign in" in text_of(await client.call_tool("browser_snapshot", {}))

        cookies = await client.call_tool(
            "asking__ask", {"method": "browser.getCookies", "params": {"domain": f"127.0.0.1:{paper.site.port}"}}
        )
        assert "session" in text_of(cookies), text_of(cookies)


async def test_a_person_signs_in_on_the_page_that_the_guest_opens(
    hub: HubProcess, paper: Newspaper, tmp_path: Path
) -> None:
    params = {"loginUrl": paper.url("/login"), "timeout": 60_000}
    async with own_chrome(tmp_path / "chrome") as chrome, http_client(hub) as client:
        await chrome.pair(hub)
        asking = asyncio.create_task(
            client.call_tool("asking__ask", {"method": "browser.ensureLogin", "params": params})
        )
        page = await chrome.context.wait_for_event("page", predicate=lambda page: True)
        await page.wait_for_url("**/login")

        async def is_active() -> bool:
            return paper.url("/login") in await active_urls(chrome)

        await eventually(is_active, "the login page is the active tab")
        await sign_in(page)
        result = await asking

    assert '"ok":true' in text_of(result), text_of(result)
    assert len(paper.sessions) == 1
