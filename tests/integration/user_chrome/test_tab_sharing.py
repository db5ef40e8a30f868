"""Sharing tabs of the user's own Chrome with an agent, and taking them back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Page

from browser_pilot.extension_bridge.extension_connection import ChromeRefused
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.clients import call, fail, http_client, ref_of
from tests.hub_process import HubProcess
from tests.page.actions.acting import click, evaluate
from tests.page.actions.site import Site as PageSite
from tests.sites import Site
from tests.waiting import eventually

from .chrome import Chrome
from .in_process import InProcess


async def names(client: Any) -> list[str]:
    return [row["title"] for row in (await call(client, "browser_tabs"))["tabs"]]


@pytest.fixture
def url(site: Site) -> str:
    return site.url("/")


async def test_a_shared_tab_can_be_read_and_used(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    page = await chrome.open(url)
    await chrome.share(page)
    async with http_client(own_hub) as client:
        snapshot = await call(client, "browser_snapshot")
        await call(client, "browser_type", element=ref_of(snapshot, "textbox", "Email"), text="ann@example.com")
        await call(client, "browser_click", element=ref_of(snapshot, "button", "Sign in"))
        assert await page.title() == "Signed in"
    await page.close()


async def test_a_tab_that_was_not_shared_does_not_exist_for_an_agent(
    own_hub: HubProcess, chrome: Chrome, url: str
) -> None:
    private = await chrome.open(f"{url}?private")
    async with http_client(own_hub) as client:
        assert (await call(client, "browser_tabs"))["tabs"] == []
        assert (await fail(client, "browser_snapshot"))["error"] == "NO_TAB"
    await private.close()


async def test_the_user_takes_a_tab_back_at_once(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    page = await chrome.open(url)
    await chrome.share(page)
    async with http_client(own_hub) as client:
        assert len(await names(client)) == 1
        popup = await chrome.popup(page)
        await popup.get_by_role("button", name="Disconnect this tab").click()

        async def gone() -> bool:
            return await names(client) == []

        await eventually(gone)
        assert not page.is_closed()
        await popup.close()
    await page.close()


async def test_a_tab_shared_later_appears(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    page = await chrome.open(url)
    async with http_client(own_hub) as client:
        assert await names(client) == []
        await chrome.share(page)

        async def there() -> bool:
            return len(await names(client)) == 1

        await eventually(there)
    await page.close()


async def group_of(chrome: Chrome, page: Page) -> dict[str, Any]:
    tab = next(tab for tab in await chrome.tabs() if tab["url"] == page.url)
    return await (await chrome.worker()).evaluate("(id) => chrome.tabGroups.get(id)", tab["groupId"])


async def test_an_agents_own_tab_is_in_a_named_group_and_closes_with_the_agent(
    own_hub: HubProcess, chrome: Chrome, url: str
) -> None:
    async with http_client(own_hub) as client:
        async with chrome.context.expect_page() as opened:
            await call(client, "browser_navigate", url=f"{url}?agents")
        page = await opened.value

        async def grouped() -> bool:
            return next(tab for tab in await chrome.tabs() if tab["url"] == page.url)["groupId"] != -1

        await eventually(grouped)
        assert (await group_of(chrome, page))["title"]

    await eventually(page.is_closed)


async def test_two_agents_do_not_see_each_others_tabs(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    async with http_client(own_hub) as one, http_client(own_hub) as other:
        await call(one, "browser_navigate", url=f"{url}?one")
        await call(other, "browser_navigate", url=f"{url}?other")
        assert [row["url"] for row in (await call(one, "browser_tabs"))["tabs"]] == [f"{url}?one"]
        assert [row["url"] for row in (await call(other, "browser_tabs"))["tabs"]] == [f"{url}?other"]


async def test_a_shared_tab_outlives_its_agent(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    page = await chrome.open(url)
    await chrome.share(page)
    async with http_client(own_hub) as client:
        assert len(await names(client)) == 1
    async with http_client(own_hub) as another:

        async def there() -> bool:
            return len(await names(another)) == 1

        await eventually(there)
    assert not page.is_closed()
    await page.close()


async def test_the_users_focus_stays_where_it_was(own_hub: HubProcess, chrome: Chrome, url: str) -> None:
    mine = await chrome.open(f"{url}?mine")
    await mine.bring_to_front()
    worker = await chrome.worker()
    active = "() => chrome.tabs.query({ active: true, lastFocusedWindow: true }).then((tabs) => tabs[0].url)"
    assert await worker.evaluate(active) == mine.url
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=f"{url}?work")
        await call(client, "browser_tabs", action="open", url=f"{url}?more")
        await call(client, "browser_click", element="role=checkbox")
        await call(client, "browser_screenshot")
        assert await worker.evaluate(active) == mine.url
    await mine.close()


async def test_only_what_an_agents_input_opened_is_the_agents(own: InProcess, pages: PageSite) -> None:
    opens = pages.add("opens", "<a id=a target=_blank href='/target'>Open</a><title>Opens</title>")
    pages.add("target", "<title>Target</title>")
    page = await own.chrome.open(opens)
    await own.chrome.share(page)
    async with own.session() as session:
        await session.ready()
        await eventually(lambda: len(session.tabs()) == 1)
        (shared,) = session.tabs()
        relay = await own.bridge.relay_of(None)
        for opening in range(2):
            assert [row.name for row in (await take_snapshot(shared.world)).rows] == ["Open"]
            async with own.chrome.context.expect_page() as opened:
                await page.click("#a")
            users = await opened.value
            await users.wait_for_url("**/target")
            # The order of the relay's events: the extension has reported this tab by now, if at all.
            await shared.title()
            assert len(relay.tabs) == 1, f"the user's own tab {opening} is not the agent's"
            await users.close()
        await click(shared, "#a")
        await eventually(lambda: len(relay.tabs) == 2)
        await evaluate(shared, "void open('/target')")
        await eventually(lambda: len(relay.tabs) == 3)
    await page.close()


async def test_a_hub_with_the_key_reads_neither_files_nor_cookies_of_other_sites(
    own: InProcess, pages: PageSite, tmp_path: Path
) -> None:
    """The extension itself limits what can be done through a shared tab."""
    secret = tmp_path / "secret.html"
    secret.write_text("<title>Local file</title>")
    pages.add("page", "<title>Page</title>")
    bank = await own.chrome.open(f"http://bank.test:{pages.port}/page")
    await bank.context.clear_cookies()
    await bank.evaluate("document.cookie = 'session=bank'")
    page = await own.chrome.open(secret.as_uri())
    await page.goto(pages.url("page"))
    await page.evaluate("document.cookie = 'session=mine'")
    await own.chrome.share(page)
    async with own.session() as session:
        await session.ready()
        await eventually(lambda: len(session.tabs()) == 1)
        relay = await own.bridge.relay_of(None)
        (tab_id,) = relay.tabs
        connection = cast("Any", relay)._connection

        async def send(method: str, **params: Any) -> Any:
            return await connection.call("debugger.sendCommand", {"tabId": tab_id}, method, params)

        cookies = (await send("Storage.getCookies"))["cookies"]
        assert {cookie["value"] for cookie in cookies} == {"mine"}
        assert (await send("Network.getCookies", urls=[bank.url]))["cookies"] == []
        entries = (await send("Page.getNavigationHistory"))["entries"]
        file_entry = next(entry["id"] for entry in entries if entry["url"].startswith("file:"))
        commands: list[tuple[str, dict[str, Any]]] = [
            ("Network.getAllCookies", {}),
            ("Network.loadNetworkResource", {"url": bank.url, "options": {}}),
            ("Target.createTarget", {"url": bank.url}),
            ("Page.navigate", {"url": secret.as_uri()}),
            ("Page.navigateToHistoryEntry", {"entryId": file_entry}),
        ]
        for method, params in commands:
            with pytest.raises(ChromeRefused):
                await send(method, **params)
        with pytest.raises(ChromeRefused, match="web page"):
            await connection.call("tabs.create", {"url": secret.as_uri()})
        for call_without_arguments in ("debugger.sendCommand", "debugger.attach", "tabs.create", "tabs.group"):
            with pytest.raises(ChromeRefused):
                await connection.call(call_without_arguments)
        await page.go_back()
        await eventually(lambda: not relay.tabs, "a tab that shows a file is the user's alone")
    await page.close()
    await bank.context.clear_cookies()
    await bank.close()
