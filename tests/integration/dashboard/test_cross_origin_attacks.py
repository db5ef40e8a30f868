"""Other pages in the browser of a user who has the dashboard open: of other sites, and of other ports of this host."""

from __future__ import annotations

from collections.abc import Generator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.async_api import BrowserContext, Page, expect

from ..hub_process import HubProcess
from ..sites import Site, serving
from .visitor import PATIENCE_MS, Visitor, address

# What a page can try by script; each tells how it ended.
FETCHES = """async ([hub, path, key]) => {
  const told = [];
  for (const mode of ['cors', 'no-cors']) {
    for (const headers of [{}, { 'Content-Type': 'application/json' }, { 'X-Browser-Pilot-Key': key }]) {
      try {
        const body = '{"word": "auto"}';
        const answer = await fetch(hub + path, { method: 'POST', mode, credentials: 'include', headers, body });
        told.push(answer.type === 'opaque' ? 'unreadable' : `read ${answer.status}`);
      } catch { told.push('refused'); }
    }
  }
  return told;
}"""
LOADS = """(url, tag) => new Promise((told) => {
  const element = document.createElement(tag);
  element.onload = () => told('loaded');
  element.onerror = () => told('refused');
  element.src = url;
  document.body.append(element);
})"""


FRAME = """(url) => {
  const frame = document.createElement('iframe');
  frame.src = url;
  document.body.append(frame);
}"""


class Cookies:
    """What another server on this machine is sent."""

    def __init__(self) -> None:
        self.seen = ""

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        self.seen = request.headers.get("Cookie", "")
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        request.wfile.write(b"<!doctype html><title>Elsewhere</title><p>Elsewhere")


@pytest.fixture
def cookies() -> Cookies:
    return Cookies()


@pytest.fixture
def elsewhere(cookies: Cookies) -> Generator[Site]:
    with serving({"/": cookies}) as site:
        yield site


@pytest.fixture(params=["127.0.0.1", "localhost"])
def intruder(request: pytest.FixtureRequest, elsewhere: Site) -> str:
    """The same site by browsers' reckoning, on another port; and another site."""
    return f"http://{request.param}:{elsewhere.port}/"


async def mode_of(page: Page) -> str:
    """What a forged word would change."""
    return await page.locator("input[name=mode]:checked").input_value()


async def test_no_fetch_of_another_page_reads_or_changes_anything(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    key = await page.evaluate("localStorage.getItem('browser-pilot-key')")
    other = await context.new_page()
    await other.goto(intruder)
    for path in ("/dashboard/ask/word", "/dashboard/ask/state", "/dashboard/leave", "/api/stop", "/mcp"):
        told = await other.evaluate(FETCHES, [address(asking), path, key])
        assert set(told) <= {"refused", "unreadable"}, (path, told)
    await page.reload()
    await expect(page.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)
    assert await mode_of(page) == "ask"


async def test_no_form_of_another_page_changes_anything(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    for path in ("/dashboard/ask/word", "/dashboard/enter", "/dashboard/leave", "/api/dashboard"):
        other = await context.new_page()
        await other.goto(intruder)
        form = f"""<form method="post" enctype="text/plain" action="{address(asking)}{path}">
            <input name='{{"word": "auto", "x": "' value='"}}'><button>Win a prize</button></form>"""
        await other.set_content(form)
        async with other.expect_navigation() as arrival:
            await other.get_by_role("button").click()
        answer = await arrival.value
        assert answer is not None and answer.status == 403, path
        await other.close()
    await expect(page.locator("#state")).to_have_text("Connected")
    assert await mode_of(page) == "ask"


async def test_another_page_can_neither_frame_nor_load_nor_read_it(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    other = await context.new_page()
    await other.goto(intruder)
    hub = address(asking)
    for path, tag in (("/dashboard/static/hub.js", "script"), ("/extension/icons/32.png", "img")):
        assert await other.evaluate(f"([url, tag]) => ({LOADS})(url, tag)", [hub + path, tag]) == "refused"
    await other.evaluate(
        "(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }", hub
    )
    await expect(other.locator("iframe")).to_have_count(1)
    frame = other.frames[-1]
    await frame.wait_for_load_state()
    assert not frame.url.startswith(hub)
    assert await other.evaluate("(url) => fetch(url).then(() => 'read', () => 'refused')", f"{hub}/") == "refused"


async def test_who_is_sent_there_by_another_page_is_asked_first(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    other = await context.new_page()
    await other.goto(intruder)
    async with context.expect_page() as opened:
        await other.evaluate("(url) => { window.theirs = open(url) }", f"{address(asking)}/")
    dashboard = await opened.value
    await expect(dashboard.get_by_role("heading")).to_have_text("Open the dashboard?", timeout=PATIENCE_MS)
    assert await other.evaluate("window.theirs.closed"), "the two have nothing to do with one another"
    await dashboard.get_by_role("link", name="Open the dashboard").click()
    await expect(dashboard.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)


async def test_the_cookie_that_other_servers_of_this_machine_are_sent_opens_nothing(
    page: Page, context: BrowserContext, asking: HubProcess, elsewhere: Site, cookies: Cookies
) -> None:
    other = await context.new_page()
    await other.goto(elsewhere.url("/"))
    name, _, value = cookies.seen.partition("=")
    assert name == f"browser-pilot-{asking.info.port}" and value
    assert Visitor(asking.info.port, value, "").ask().status_code == 401
    assert await other.evaluate("localStorage.length") == 0
