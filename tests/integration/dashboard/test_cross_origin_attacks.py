"""Attacks by other pages in the browser of a signed-in user: other sites, and other ports of this host."""

from __future__ import annotations

from collections.abc import Generator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.hub_process import HubProcess
from tests.sites import Site, serving

from .dashboard_client import TIMEOUT_MS, DashboardClient, address

# Requests that a script can try; returns the outcome of each.
FETCHES = """async ([hub, path, key]) => {
  const outcomes = [];
  for (const mode of ['cors', 'no-cors']) {
    for (const headers of [{}, { 'Content-Type': 'application/json' }, { 'X-Browser-Pilot-Key': key }]) {
      try {
        const body = '{"command": "auto"}';
        const response = await fetch(hub + path, { method: 'POST', mode, credentials: 'include', headers, body });
        outcomes.push(response.type === 'opaque' ? 'unreadable' : `read ${response.status}`);
      } catch { outcomes.push('refused'); }
    }
  }
  return outcomes;
}"""
LOADS = """(url, tag) => new Promise((done) => {
  const element = document.createElement(tag);
  element.onload = () => done('loaded');
  element.onerror = () => done('refused');
  element.src = url;
  document.body.append(element);
})"""


FRAME = """(url) => {
  const frame = document.createElement('iframe');
  frame.src = url;
  document.body.append(frame);
}"""


class Cookies:
    """Another server on this machine, which records the cookies that it receives."""

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
def other_server(cookies: Cookies) -> Generator[Site]:
    with serving({"/": cookies}) as site:
        yield site


@pytest.fixture(params=["127.0.0.1", "localhost"])
def intruder(request: pytest.FixtureRequest, other_server: Site) -> str:
    """A page of the same site on another port (same-site for browsers), and one of another site."""
    return f"http://{request.param}:{other_server.port}/"


async def mode_of(page: Page) -> str:
    """The setting that a forged command would change."""
    return await page.locator("input[name=mode]:checked").input_value()


async def test_no_fetch_of_another_page_reads_or_changes_anything(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    key = await page.evaluate("localStorage.getItem('browser-pilot-key')")
    other = await context.new_page()
    await other.goto(intruder)
    for path in ("/dashboard/request/command", "/dashboard/request/state", "/dashboard/logout", "/api/stop", "/mcp"):
        outcomes = await other.evaluate(FETCHES, [address(asking), path, key])
        assert set(outcomes) <= {"refused", "unreadable"}, (path, outcomes)
    await page.reload()
    await expect(page.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
    assert await mode_of(page) == "ask"


async def test_no_form_of_another_page_changes_anything(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    for path in ("/dashboard/request/command", "/dashboard/login", "/dashboard/logout", "/api/dashboard"):
        other = await context.new_page()
        await other.goto(intruder)
        form = f"""<form method="post" enctype="text/plain" action="{address(asking)}{path}">
            <input name='{{"command": "auto", "x": "' value='"}}'><button>Win a prize</button></form>"""
        await other.set_content(form)
        async with other.expect_navigation() as arrival:
            await other.get_by_role("button").click()
        response = await arrival.value
        assert response is not None and response.status == 403, path
        await other.close()
    await expect(page.locator("#state")).to_have_text("Connected")
    assert await mode_of(page) == "ask"


async def test_another_page_can_neither_frame_nor_load_nor_read_the_dashboard(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    other = await context.new_page()
    await other.goto(intruder)
    hub = address(asking)
    for path, tag in (("/ui/dashboard/static/hub_client.js", "script"), ("/extension/icons/32.png", "img")):
        assert await other.evaluate(f"([url, tag]) => ({LOADS})(url, tag)", [hub + path, tag]) == "refused"
    await other.evaluate(FRAME, hub)
    await expect(other.locator("iframe")).to_have_count(1)
    frame = other.frames[-1]
    await frame.wait_for_load_state()
    assert not frame.url.startswith(hub)
    assert await other.evaluate("(url) => fetch(url).then(() => 'read', () => 'refused')", f"{hub}/") == "refused"


async def test_a_user_sent_by_another_page_confirms_first(
    page: Page, context: BrowserContext, asking: HubProcess, intruder: str
) -> None:
    other = await context.new_page()
    await other.goto(intruder)
    async with context.expect_page() as opened:
        await other.evaluate("(url) => { window.theirs = open(url) }", f"{address(asking)}/")
    dashboard = await opened.value
    await expect(dashboard.get_by_role("heading")).to_have_text("Open the dashboard?", timeout=TIMEOUT_MS)
    assert await other.evaluate("window.theirs.closed"), "the opener has no access to the window"
    await dashboard.get_by_role("link", name="Open the dashboard").click()
    await expect(dashboard.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)


async def test_the_cookie_alone_as_other_local_servers_receive_it_is_refused(
    page: Page, context: BrowserContext, asking: HubProcess, other_server: Site, cookies: Cookies
) -> None:
    other = await context.new_page()
    await other.goto(other_server.url("/"))
    name, _, value = cookies.seen.partition("=")
    assert name == f"browser-pilot-{asking.info.port}" and value
    assert DashboardClient(asking.info.port, value, "").request().status_code == 401
    assert await other.evaluate("localStorage.length") == 0
