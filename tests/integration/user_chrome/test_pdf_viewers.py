"""PDF viewers in the user's own Chrome, which detaches the debugger whenever one opens in a page."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from browser_pilot.page.snapshot.snapshot import take_snapshot
from browser_pilot.page.tab import Tab
from browser_pilot.upstream_errors import REATTACHED_EVENT
from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.integration.downloads.expected import pdf_is_saved_from_its_viewer, saved, viewer_outlives_its_page
from tests.integration.downloads.hostile_site import PDF, HostileSite, hostile_site
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import Site

from .chrome import Chrome
from .in_process import InProcess

TIMEOUT_SECONDS = 60
LATE = """<title>late</title>
<button onclick="document.body.append(Object.assign(document.createElement('iframe'), { src: '{url}' }))">Open</button>
<button onclick="document.title = 'pressed'">Press</button>"""
OPENS = "new Promise(() => { document.getElementById('pdfframe').src += '?again' })"


@pytest.fixture(scope="module")
def hostile() -> Generator[HostileSite]:
    with hostile_site() as site:
        yield site


def pdf_of(pages: Site) -> str:
    return pages.handle("report.pdf", lambda request: request.respond(PDF, kind="application/pdf"))


async def test_a_pdf_is_saved_from_its_viewer(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    async with http_client(own_hub) as client:
        await pdf_is_saved_from_its_viewer(client, hostile)


async def test_a_viewer_of_a_revoked_blob_reports_that_the_file_is_gone(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await viewer_outlives_its_page(client, hostile)


async def test_a_tab_that_a_click_opens_with_a_pdf_can_be_controlled(
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


async def test_events_arrive_after_a_viewer_opened(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    async with http_client(own_hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        await call(client, "browser_evaluate", expression="console.log('a message')")
        assert "a message" in str(await call(client, "browser_console"))
        clicked = await call(client, "browser_click", element="#clicked")
        assert clicked["downloads"]


async def test_a_script_that_a_viewer_interrupts_has_an_unknown_outcome(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        error = await fail(client, "browser_evaluate", expression=OPENS)
        assert error["error"] == "OUTCOME_UNKNOWN"
        assert "PDF viewer" in error["message"]
        assert await saved(client, selector="#pdfframe") == (PDF, "pdf")


async def reattached(tab: Tab) -> asyncio.Event:
    """Set when Chrome has detached from the tab and the relay has reattached."""
    session = await tab.page.context.new_cdp_session(tab.page)
    event = asyncio.Event()

    def set_event(_: dict[str, object]) -> None:
        event.set()

    session.on(REATTACHED_EVENT, set_event)
    return event


async def test_refs_stay_valid_after_a_viewer_opened(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("late", LATE.replace("{url}", pdf_of(pages))))
        before = await take_snapshot(tab.world)
        opens, other = (row.ref for row in before.rows)
        again = await reattached(tab)
        await click(tab, opens)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await again.wait()
        await click(tab, other)
        assert await tab.title() == "pressed"
        after = await take_snapshot(tab.world)
        assert (after.document, [row.ref for row in after.rows[:2]]) == (before.document, [opens, other])


async def test_many_viewers_in_one_page_keep_the_tab_and_none_is_accessible(own: InProcess, pages: Site) -> None:
    """The viewer has more rights than a page: it can change the permissions of all sites."""
    url = pdf_of(pages)
    viewers = "".join(f"<iframe src='{url}?{number}'></iframe>" for number in range(8))
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("many", f"<title>many</title><h1>Here</h1>{viewers}"), wait_until="load")
        names = [row.name for row in (await take_snapshot(tab.world)).rows]
        assert names.count("PDF document") == 8 and "Here" in names
        urls = [frame.url for frame in (*await tab.world.live_frames(), *tab.page.frames)]
        assert not [url for url in urls if url.startswith("chrome-extension")]


async def test_a_chrome_page_closes_the_tab_for_the_agent_until_the_user_leaves_it(own: InProcess, pages: Site) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.add("page", "<title>page</title>"))
        users = await own.chrome.page_at(pages.url("page"))
        async with tab.page.expect_event("close"):
            await users.goto("chrome://version")
        async with tab.page.context.expect_page() as back:
            await users.goto(pages.url("page"))
        assert await (await back.value).title() == "page"
