"""Domain rules in the user's own Chrome: requests of controlled tabs, of what they open, and of workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest_asyncio

from browser_pilot.extension_bridge.dnr_rules import session_rules
from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset
from tests.page.actions.acting import click, open_address
from tests.page.actions.site import HttpRequest, Site
from tests.waiting import eventually

from .in_process import InProcess

RULES = session_rules(Ruleset([Rule(pattern=parse_pattern("*.evil.test"), read="deny")]))
PAGE = (
    "<title>page</title><button>Go</button><script>document.querySelector('button').onclick = () => eval(code)</script>"
)
# Each opens `evil` in a new tab.
POPUPS = {
    "open": "open(evil)",
    "noopener": "open(evil, '_blank', 'noopener')",
    "window": "open(evil, 'w', 'width=300,height=300')",
    "link": "Object.assign(document.createElement('a'), { href: evil, target: '_blank' }).click()",
    "blank": "open('about:blank').location = evil",
    "redirect": "open('/redirect?' + evil)",
    "post": "document.body.append(f = Object.assign(document.createElement('form'),"
    " { method: 'post', target: '_blank', action: evil })); f.submit()",
    "blob": "open(URL.createObjectURL(new Blob([`<script>location = '${evil}'</script>`], { type: 'text/html' })))",
    "sandbox": "f = Object.assign((w = open('about:blank')).document.createElement('iframe'),"
    " { sandbox: 'allow-scripts allow-top-navigation', srcdoc: `<script>top.location = '${evil}'</script>` });"
    " w.document.body.append(f)",
}
# Resolves with what a shared worker's request for `evil` came to; its script is a blob: or a data: URL.
SHARED_WORKER = """([evil, data]) => new Promise((resolve) => {
  const script = `onconnect = ({ ports: [port] }) => fetch(${JSON.stringify(evil)}, { method: 'POST', body: 'x' })
    .then(() => port.postMessage('read'), () => port.postMessage('blocked'))`;
  const url = data ? 'data:text/javascript,' + encodeURIComponent(script) : URL.createObjectURL(new Blob([script]));
  new SharedWorker(url).port.onmessage = (event) => resolve(event.data);
})"""
SERVICE_WORKER = """onmessage = ({ data, source }) => fetch(data, { method: 'POST', body: 'x' })
  .then(() => source.postMessage('read'), () => source.postMessage('blocked'))"""
LIST_FAILED_NAVIGATIONS = """() => {
  globalThis.failedNavigations = [];
  chrome.webNavigation.onErrorOccurred.addListener(({ url }) => failedNavigations.push(url));
}"""
USE_SERVICE_WORKER = """async (evil) => {
  await navigator.serviceWorker.register('/worker.js');
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    navigator.serviceWorker.onmessage = (event) => resolve(event.data);
    active.postMessage(evil);
  });
}"""


@dataclass
class Evil:
    """A site that the policy denies; it responds to everybody."""

    port: int
    reached: list[str] = field(default_factory=list[str])

    def url(self, name: str) -> str:
        return f"http://{name}.evil.test:{self.port}/evil"

    async def respond(self, request: HttpRequest) -> None:
        self.reached.append(request.headers["host"].partition(".")[0])
        await request.respond("<title>evil</title>", extra="Access-Control-Allow-Origin: *\r\n")


@pytest_asyncio.fixture(loop_scope="session")
async def evil(own: InProcess, pages: Site) -> AsyncIterator[Evil]:
    async def redirect(request: HttpRequest) -> None:
        await request.respond(status=302, extra=f"Location: {request.query}\r\n")

    async def worker(request: HttpRequest) -> None:
        await request.respond(SERVICE_WORKER, kind="text/javascript")

    site = Evil(pages.port)
    pages.handle("evil", site.respond)
    pages.handle("redirect", redirect)
    pages.handle("worker.js", worker)
    own.bridge.set_rules(RULES)
    yield site
    own.bridge.set_rules([])


async def test_the_first_request_of_a_popup_is_blocked(own: InProcess, pages: Site, evil: Evil) -> None:
    async with own.session() as session:
        tab = await session.open_tab()
        for name, code in POPUPS.items():
            await open_address(tab, pages.add("page", PAGE))
            await tab.page.evaluate("(code) => { window.code = code }", code.replace("evil", f"'{evil.url(name)}'"))
            async with own.chrome.context.expect_page() as opened:
                await click(tab, "button")
            popup = await opened.value
            await eventually(lambda popup=popup: popup.url.startswith("chrome-error:") or evil.reached, name)
            assert evil.reached == []
            await popup.close()


async def test_requests_of_shared_and_service_workers_are_blocked(own: InProcess, pages: Site, evil: Evil) -> None:
    pages.add("page", PAGE)
    async with own.session() as session:
        tab = await session.open_tab()
        # Chrome has service workers in secure contexts only.
        await open_address(tab, f"http://localhost:{pages.port}/page")
        for data in (False, True):
            assert await tab.page.evaluate(SHARED_WORKER, [evil.url("shared"), data]) == "blocked"
        page = next(page for page in own.chrome.context.pages if page.url.startswith("http://localhost"))
        assert await page.evaluate(USE_SERVICE_WORKER, evil.url("service")) == "blocked"
    assert evil.reached == []


async def test_the_users_own_tabs_and_their_workers_are_not_restricted(own: InProcess, pages: Site, evil: Evil) -> None:
    users = await own.chrome.open(pages.add("page", PAGE, host="user"))
    async with own.session() as session:
        tab = await session.open_tab()
        await open_address(tab, pages.url("page"))
        assert await users.evaluate(SHARED_WORKER, [evil.url("shared"), False]) == "read"
        await users.evaluate("(url) => fetch(url)", evil.url("fetch"))
        # New tabs: one from a page, and one that the user opened elsewhere.
        await users.evaluate("(code) => { window.code = code }", f"open('{evil.url('popup')}')")
        async with own.chrome.context.expect_page() as popup:
            await users.click("button")
        async with own.chrome.context.expect_page() as bookmark:
            await (await own.chrome.worker()).evaluate("(url) => chrome.tabs.create({ url })", evil.url("bookmark"))
        for opened in (popup, bookmark):
            page = await opened.value
            await page.wait_for_url("**/evil")
            await page.close()
    assert set(evil.reached) == {"shared", "fetch", "popup", "bookmark"}
    await users.close()


async def test_only_what_the_policy_blocked_in_a_users_tab_is_loaded_again(
    own: InProcess, pages: Site, evil: Evil
) -> None:
    users = await own.chrome.open(pages.add("page", PAGE, host="user"))
    worker = await own.chrome.worker()
    await worker.evaluate(LIST_FAILED_NAVIGATIONS)
    # Chrome blocks pages of extensions with the same error.
    blocked = [f"chrome-extension://{EXTENSION_ID}/pages/options.html", evil.url("user")]
    async with own.session() as session:
        await open_address(await session.open_tab(), pages.url("page"))
        async with own.chrome.context.expect_page():
            await users.evaluate("(url) => void open(url)", blocked[0])
        async with own.chrome.context.expect_page() as opened:
            await users.evaluate("(url) => void open(url)", blocked[1])
        # The second one is loaded again after the first one would have been.
        await (await opened.value).wait_for_url("**/evil")
    failed: list[str] = await worker.evaluate("() => failedNavigations")
    assert failed.count(blocked[0]) == 1
    for page in own.chrome.context.pages:
        if page is users or page.url in blocked or page.url.startswith("chrome-error:"):
            await page.close()


async def test_rules_end_with_the_last_controlled_tab(own: InProcess, pages: Site, evil: Evil) -> None:
    worker = await own.chrome.worker()

    async def rules() -> list[object]:
        return await worker.evaluate("() => chrome.declarativeNetRequest.getSessionRules()")

    async def no_rules() -> bool:
        return await rules() == []

    async with own.session() as session:
        await open_address(await session.open_tab(), pages.add("page", PAGE))
        assert len(await rules()) > len(RULES)
    await eventually(no_rules)
