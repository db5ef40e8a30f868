"""PDF viewers in the user's own Chrome, which takes the debugger away whenever one opens in a page."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from browser_pilot.bridge.cdp import ATTACHED_AGAIN
from browser_pilot.pages.navigate import open_address
from browser_pilot.pages.pointer import click
from browser_pilot.pages.snapshot import take_view
from browser_pilot.pages.tab import Tab
from tests.clients import call, fail, http_client
from tests.downloads.expected import pdf_is_saved_from_its_viewer, saved, viewer_outlives_its_page
from tests.downloads.hostile_site import PDF, HostileSite, hostile_site
from tests.hub_process import HubProcess

from ..acting.site import Site
from .chrome import Chrome
from .in_process import InProcess

PATIENCE_SECONDS = 20
LATE = """<title>late</title>
<button onclick="document.body.append(Object.assign(document.createElement('iframe'), { src: '{url}' }))">Open</button>
<button onclick="document.title = 'pressed'">Press</button>"""
OPENS = "new Promise(() => { document.getElementById('pdfframe').src += '?again' })"


@pytest.fixture(scope="module")
def hostile() -> Generator[HostileSite]:
    with hostile_site() as site:
        yield site


def pdf_of(pages: Site) -> str:
    return pages.handle("report.pdf", lambda exchange: exchange.answer(PDF, kind="application/pdf"))


async def test_a_link_to_a_pdf_leads_to_its_viewer_and_the_file_is_saved_from_there(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await pdf_is_saved_from_its_viewer(client, hostile)


async def test_a_viewer_of_what_a_page_made_that_is_gone_says_so(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await viewer_outlives_its_page(client, hostile)


async def test_a_tab_that_a_click_opens_with_a_pdf_can_be_driven(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        clicked = await call(client, "browser_click", element="#opened")
        tab = clicked["new_tabs"][0]["tab"]
        assert await saved(client, selector="body", tab=tab) == (PDF, "pdf")
        gone = await call(client, "browser_navigate", url=hostile.url("/"), tab=tab)
        assert gone["title"] == "Everything"


async def test_a_tab_that_shows_a_pdf_can_be_shared(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    page = await chrome.open(hostile.url("/"))
    await page.click("#link")
    await page.wait_for_url("**/report.pdf")
    async with http_client(own_hub) as client:
        await chrome.share(page)
        tabs = (await call(client, "browser_tabs", action="list"))["tabs"]
        assert [tab["url"] for tab in tabs] == [hostile.url("/report.pdf")]
        assert await saved(client, selector="body", tab=tabs[0]["tab"]) == (PDF, "pdf")
        await call(client, "browser_navigate", url=hostile.url("/strict"), tab=tabs[0]["tab"])
        assert page.url == hostile.url("/strict")
    await page.close()


async def test_what_a_page_does_is_heard_again_after_a_viewer_opened(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        await call(client, "browser_evaluate", expression="console.log('a word')")
        assert "a word" in str(await call(client, "browser_console"))
        clicked = await call(client, "browser_click", element="#clicked")
        assert clicked["downloads"]


async def test_a_script_that_a_viewer_cuts_off_has_an_unknown_outcome(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        error = await fail(client, "browser_evaluate", expression=OPENS)
        assert error["error"] == "OUTCOME_UNKNOWN"
        assert "PDF viewer" in error["message"]
        assert await saved(client, selector="#pdfframe") == (PDF, "pdf")


async def attached_again(tab: Tab) -> asyncio.Event:
    """Set when Chrome has let go of the tab and was attached again."""
    session = await tab.page.context.new_cdp_session(tab.page)
    event = asyncio.Event()

    def note(_: dict[str, object]) -> None:
        event.set()

    session.on(ATTACHED_AGAIN, note)
    return event


async def test_refs_from_before_a_viewer_opened_still_hold(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("late", LATE.replace("{url}", pdf_of(pages))))
        before = await take_view(tab.world)
        opens, other = (row.ref for row in before.rows)
        again = await attached_again(tab)
        await click(tab, opens)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await again.wait()
        await click(tab, other)
        assert await tab.title() == "pressed"
        after = await take_view(tab.world)
        assert (after.document, [row.ref for row in after.rows[:2]]) == (before.document, [opens, other])


async def test_many_viewers_in_one_page_cost_no_tab_and_none_of_them_can_be_entered(
    own: InProcess, pages: Site
) -> None:
    """The viewer may do what no page may: change the permissions of all sites, for one."""
    url = pdf_of(pages)
    viewers = "".join(f"<iframe src='{url}?{number}'></iframe>" for number in range(8))
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("many", f"<title>many</title><h1>Here</h1>{viewers}"), wait_until="load")
        names = [row.name for row in (await take_view(tab.world)).rows]
        assert names.count("PDF document") == 8 and "Here" in names
        urls = [frame.url for frame in (*await tab.world.live_frames(), *tab.page.frames)]
        assert not [url for url in urls if url.startswith("chrome-extension")]


async def test_a_page_that_the_browser_keeps_to_itself_takes_the_tab_away_until_it_is_left(
    own: InProcess, pages: Site
) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<title>page</title>"))
        users = next(page for page in own.chrome.context.pages if page.url == pages.url("page"))
        async with tab.page.expect_event("close"):
            await users.goto("chrome://version")
        async with tab.page.context.expect_page() as back:
            await users.goto(pages.url("page"))
        assert await (await back.value).title() == "page"
