"""Navigation returns as soon as the page is usable."""

from __future__ import annotations

import asyncio
import time

import pytest

from browser_pilot.errors import NavigationFailed, Timeout
from browser_pilot.page.actions import wait_idle
from browser_pilot.page.actions.wait_idle import PARSE_TIMEOUT_MS, finish_waiting
from browser_pilot.page.tab import Tab

from .acting import open_address, step
from .site import HttpRequest, Site

LONG_SECONDS = 120
SHORT_SECONDS = LONG_SECONDS / 2

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture
def long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for something that never comes takes very long; what does not takes a fraction of it."""
    monkeypatch.setattr(wait_idle, "MAX_WAIT_SECONDS", LONG_SECONDS)


@pytest.mark.usefixtures("long_wait")
async def test_an_image_that_hangs_does_not_delay_a_navigation(tab: Tab, site: Site) -> None:
    site.never("slow.png")
    url = site.add("page", "<p>Text</p><img src=/slow.png>")
    began = time.monotonic()
    outcome = await open_address(tab, url, timeout_ms=LONG_SECONDS * 1000)
    assert time.monotonic() - began < SHORT_SECONDS
    assert any("slow.png" in word for word in outcome.still_loading)
    assert outcome.navigated == url
    assert outcome.new_document


async def test_content_that_scripts_load_is_there(tab: Tab, site: Site) -> None:
    site.late("data", 0.3, "shown")
    await open_address(
        tab,
        site.add("page", "<p id=out></p><script>fetch('/data').then(r => r.text()).then(t => out.append(t))</script>"),
    )
    assert await tab.page.inner_text("#out") == "shown"


ADDS_A_SCRIPT = "<title>Shop</title><a href=/>Home</a><p id=out></p><script>import('/more.js')</script>"


async def test_an_added_script_is_reported_and_awaited_by_the_next_read(tab: Tab, site: Site) -> None:
    site.late("more.js", 0.5, "document.querySelector('#out').append('shown')", kind="text/javascript")
    outcome = await open_address(tab, site.add("page", ADDS_A_SCRIPT))
    assert any("more.js" in word for word in outcome.still_loading)
    assert await tab.page.inner_text("#out") == ""
    await finish_waiting(tab)
    assert await tab.page.inner_text("#out") == "shown"
    assert tab.tracker.left_open is None


@pytest.mark.usefixtures("long_wait")
async def test_a_much_later_read_does_not_wait(tab: Tab, site: Site) -> None:
    site.never("more.js")
    await open_address(tab, site.add("page", ADDS_A_SCRIPT))
    until = asyncio.get_running_loop().time() + SHORT_SECONDS
    await tab.tracker.wait_until(lambda: tab.tracker.left_open is None, until)
    began = time.monotonic()
    await finish_waiting(tab)
    assert time.monotonic() - began < SHORT_SECONDS


async def test_changes_after_the_load_event_are_in_the_next_read(tab: Tab, site: Site) -> None:
    steps = "let n = 0; const step = () => { out.textContent = ++n; if (n < 5) setTimeout(step) }; onload = step"
    await open_address(tab, site.add("page", f"<p id=out></p><script>{steps}</script>"))
    await finish_waiting(tab)
    assert await tab.page.inner_text("#out") == "5"


@pytest.mark.parametrize("title", ["A page & more", "Ä – 页面", ""])
async def test_the_title_is_reported(tab: Tab, site: Site, title: str) -> None:
    outcome = await open_address(tab, site.add("page", f"<title>{title.replace('&', '&amp;')}</title><p>Text</p>"))
    assert outcome.title == title == await tab.page.title()


async def test_a_navigation_wins_over_one_that_the_page_started_before(tab: Tab, site: Site) -> None:
    for number in range(10):
        requested, released = asyncio.Event(), asyncio.Event()

        async def other(
            request: HttpRequest, requested: asyncio.Event = requested, released: asyncio.Event = released
        ) -> None:
            requested.set()
            await released.wait()
            await request.respond("<p>Other</p>", kind="text/html")

        leaves = f"<p>Leaving</p><script>location.href = '{site.handle(f'other{number}', other)}'</script>"
        await tab.page.goto(site.add(f"page{number}", leaves), wait_until="commit")
        wanted = site.add(f"wanted{number}", "<p>Wanted</p>")
        async with asyncio.timeout(60):
            await requested.wait()
        released.set()
        outcome = await open_address(tab, wanted)
        assert outcome.navigated == wanted
        assert await tab.page.inner_text("p") == "Wanted"


async def test_a_same_document_navigation_does_not_reload_the_page(tab: Tab, site: Site) -> None:
    url = site.add("page", "<h2 id=below>Below</h2>")
    await open_address(tab, url)
    await tab.page.evaluate("window.same = true")
    outcome = await open_address(tab, f"{url}#below")
    assert (outcome.navigated, outcome.new_document) == (f"{url}#below", False)
    assert await tab.page.evaluate("window.same")


@pytest.mark.usefixtures("long_wait")
async def test_a_document_that_never_ends_is_usable_as_far_as_it_was_received(tab: Tab, site: Site) -> None:
    async def stream(request: HttpRequest) -> None:
        await request.begin_stream("text/html")
        await request.send("<!doctype html><p>First words</p>" + " " * 2000)
        await request.wait_closed()

    began = time.monotonic()
    outcome = await open_address(tab, site.handle("stream", stream), timeout_ms=LONG_SECONDS * 1000)
    assert time.monotonic() - began < SHORT_SECONDS
    assert outcome.still_loading
    assert "First words" in await tab.page.evaluate("document.body.innerText")


async def test_a_document_with_nothing_to_read_yet_gets_more_time(tab: Tab, site: Site) -> None:
    async def stream(request: HttpRequest) -> None:
        await request.begin_stream("text/html")
        await request.send("<!doctype html><title>Soon</title><body>" + " " * 2000)
        await asyncio.sleep(PARSE_TIMEOUT_MS / 1000 + 0.7)  # the server's slowness is what is tried
        await request.send("<p>First words</p>")

    await open_address(tab, site.handle("slow", stream))
    assert "First words" in await tab.page.evaluate("document.body.innerText")


async def test_wait_until_load_waits_for_the_load_event(tab: Tab, site: Site) -> None:
    site.late("slow.png", 0.7, "x", kind="image/png")
    url = site.add("page", "<img src=/slow.png><script>onload = () => document.title = 'loaded'</script>")
    await open_address(tab, url, wait_until="load")
    assert await tab.page.title() == "loaded"
    site.never("slow.png")
    with pytest.raises(Timeout, match=r"load within 500 ms.*slow\.png"):
        await open_address(tab, url, wait_until="load", timeout_ms=500)


async def test_an_error_status_is_reported(tab: Tab, site: Site) -> None:
    outcome = await open_address(tab, site.url("nowhere"))
    assert outcome.status == 404


async def test_an_unreachable_url_is_an_error_with_the_reason(tab: Tab, unused_tcp_port: int) -> None:
    with pytest.raises(NavigationFailed, match="nothing listens"):
        await open_address(tab, f"http://127.0.0.1:{unused_tcp_port}/")


async def test_a_page_can_be_opened_right_after_one_that_failed(tab: Tab, site: Site, unused_tcp_port: int) -> None:
    page = site.add("page", "<p>Here</p>")
    for _ in range(5):
        with pytest.raises(NavigationFailed):
            await open_address(tab, f"http://127.0.0.1:{unused_tcp_port}/")
        assert (await open_address(tab, page)).navigated == page


async def test_a_response_without_content_leaves_the_page(tab: Tab, site: Site) -> None:
    site.handle("empty", lambda request: request.respond(status=204))
    page = site.add("page", "<p>Here</p>")
    await open_address(tab, page)
    outcome = await open_address(tab, site.url("empty"))
    assert outcome.navigated is None
    assert any("204" in notice for notice in outcome.notices)
    assert tab.page.url == page


async def test_a_download_is_reported_with_its_name(tab: Tab, site: Site) -> None:
    extra = "Content-Disposition: attachment; filename=report.csv\r\n"
    site.handle("file", lambda request: request.respond("a,b", kind="text/csv", extra=extra))
    outcome = await open_address(tab, site.url("file"))
    assert [download.filename for download in outcome.downloads] == ["report.csv"]


async def test_back_forward_and_reload_navigate(tab: Tab, site: Site) -> None:
    one, two = site.add("one", "<p>1</p>"), site.add("two", "<p>2</p>", "b")
    await open_address(tab, one)
    await open_address(tab, two)
    assert (await step(tab, "back")).navigated == one
    assert (await step(tab, "forward")).navigated == two
    await tab.page.evaluate("history.pushState(0, '', '#three')")
    assert (await step(tab, "back")).navigated == two
    await tab.page.evaluate("document.title = 'changed'")
    await step(tab, "reload")
    assert await tab.page.title() == ""
    with pytest.raises(NavigationFailed, match="no page to go forward"):
        await open_address(tab, one)
        await step(tab, "forward")


async def test_the_final_url_of_a_redirect_is_reported(tab: Tab, site: Site) -> None:
    end = site.add("end", "<p>End</p>")
    site.handle("go", lambda request: request.respond(status=302, extra="Location: /end\r\n"))
    outcome = await open_address(tab, site.url("go"))
    assert (outcome.navigated, outcome.status) == (end, 200)
