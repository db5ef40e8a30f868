"""Tools that differ in the user's own Chrome: popups, files, cookies, screenshots of background tabs."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

from browser_pilot.errors import NavigationFailed, PermissionDenied
from browser_pilot.extension_bridge.dnr_rules import session_rules
from browser_pilot.page.observe.cookies import clear_cookies, delete_cookies, get_cookies, set_cookie
from browser_pilot.page.snapshot.screenshot import screenshot
from browser_pilot.page.snapshot.snapshot import take_snapshot
from browser_pilot.page.tab import Tab
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.sessions.session import Session
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import HttpRequest, Site
from tests.waiting import eventually

from .in_process import InProcess

ACTIVE = "() => chrome.tabs.query({ active: true, lastFocusedWindow: true }).then((tabs) => tabs[0].url)"


async def in_front(own: InProcess) -> str:
    return await (await own.chrome.worker()).evaluate(ACTIVE)


async def users_tab(own: InProcess, pages: Site) -> Page:
    page = await own.chrome.open(pages.add("mine", "<title>mine</title>"))
    await page.bring_to_front()
    return page


@pytest.mark.parametrize(
    "opening",
    [
        "<a id=b href='/popup' target=_blank>Open</a>",
        "<button id=b onclick='window.open(`/popup`)'>Open</button>",
        "<button id=b onclick='window.open(`/popup`, ``, `width=300,height=300`)'>Open</button>",
    ],
)
async def test_a_tab_that_a_click_opens_belongs_to_the_agent_and_stays_in_the_background(
    own: InProcess, pages: Site, opening: str
) -> None:
    pages.add("popup", "<title>popup</title><h1>Popped up</h1>")
    mine = await users_tab(own, pages)
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", opening))
        outcome = await click(tab, "#b")
        assert [new.url for new in outcome.new_tabs] == [pages.url("popup")]
        popup = session.tab(outcome.new_tabs[0].tab)
        assert [row.name for row in (await take_snapshot(popup.world)).rows] == ["Popped up"]

        async def users_tab_is_in_front() -> bool:
            return await in_front(own) == mine.url

        await eventually(users_tab_is_in_front)
    await mine.close()


async def download_from(session: Session, tab: Tab) -> bytes:
    outcome = await click(tab, "#b")
    assert [one.filename for one in outcome.downloads] == ["report.csv"]
    transfer = session.downloads.get(outcome.downloads[0].id)
    assert transfer is not None
    assert await transfer.wait_ended(20)
    assert transfer.saved is not None
    return transfer.saved.path.read_bytes()


async def test_a_download_reaches_the_agent_and_the_users_folder(own: InProcess, pages: Site) -> None:
    async def send_report(request: HttpRequest) -> None:
        disposition = "Content-Disposition: attachment; filename=report.csv\r\n"
        await request.respond(b"a,b\n1,2\n", kind="text/csv", extra=disposition)

    pages.handle("report", send_report)
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<a id=b href='/report'>Get</a>"))
        assert await download_from(session, tab) == b"a,b\n1,2\n"
        assert (own.chrome.downloads / "report.csv").read_bytes() == b"a,b\n1,2\n"


async def test_a_background_tab_can_be_captured(own: InProcess, pages: Site) -> None:
    mine = await users_tab(own, pages)
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<h1>Behind</h1>"))
        options: dict[str, Any] = {"element": None, "full_page": False, "quality": None, "labels": False}
        taken = await screenshot(tab, image_format="png", **options)
        assert taken.pictures[0].data.startswith(b"\x89PNG")
        assert await in_front(own) == mine.url
    await mine.close()


async def test_cookies_are_read_set_and_deleted_but_never_all_cleared(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<h1>Cookies</h1>"))
        await set_cookie(tab, "one", "1", http_only=True)
        assert [(one.name, one.http_only) for one in await get_cookies(tab)] == [("one", True)]
        with pytest.raises(PermissionDenied, match="sign you out"):
            await clear_cookies(tab)
        assert await delete_cookies(tab, "one") == 1
        assert await get_cookies(tab) == []


async def test_cookies_of_other_sites_are_hidden(own: InProcess, pages: Site) -> None:
    async def sign_in(request: HttpRequest) -> None:
        await request.respond("<h1>Bank</h1>", extra="Set-Cookie: session=secret; HttpOnly\r\n")

    bank = await own.chrome.open(pages.handle("bank", sign_in).replace("//a.test", "//bank.test"))
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<h1>Cookies</h1>"))
        assert await get_cookies(tab, url=bank.url) == []
        assert await tab.page.context.cookies() == []
    await bank.close()


async def test_the_agent_cannot_open_the_browsers_own_pages(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<h1>Page</h1>"))
        with pytest.raises(Exception, match=r"chrome://|ERR_|Cannot|navigat"):
            await tab.page.goto("chrome://settings/", timeout=3_000)


async def test_a_denied_host_is_blocked_in_controlled_tabs_and_not_in_the_users_own(
    own: InProcess, pages: Site
) -> None:
    denied = Ruleset([Rule(pattern=parse_pattern("b.test"), read="deny")])
    own.bridge.set_rules(session_rules(denied))
    fetching = "(url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'blocked')"
    url = pages.add("data", "data", host="b")
    mine = await own.chrome.open(pages.add("page", "<h1>Page</h1>"))
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.url("page"))

        async def is_blocked() -> bool:
            return await tab.page.evaluate(fetching, url) == "blocked"

        await eventually(is_blocked)
        with pytest.raises(NavigationFailed):
            await open_address(tab, url)
        assert await mine.evaluate(fetching, url) == "reached"
    own.bridge.set_rules([])
    await mine.close()
