"""No request leaves with a secret in its URL, however the page sends it and in any common encoding."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import Error, Page

from browser_pilot.config.settings import Settings
from browser_pilot.egress import BlockedByPolicy, EgressProxy
from browser_pilot.engines.managed import ManagedContext, ManagedEngine
from browser_pilot.engines.url_leak_guard import UrlForms, url_forms
from browser_pilot.policy.hosts import Site as Place
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.options import context_request
from tests.sites import Site, serving

SECRET = "s3cr*t? wörd&/+x"
PLAIN = "hunter2secret"
WORKER = """onmessage = e => fetch(e.data).catch(() => 0).then(() => postMessage("done"));
onconnect = e => {
    const port = e.ports[0];
    port.onmessage = m => fetch(m.data).catch(() => 0).then(() => port.postMessage("done"));
};"""

TRIES = """async secret => {
    const attempts = {
        fetch: () => fetch("/fetch?" + secret),
        keepalive: () => fetch("/keepalive?" + secret, {keepalive: true}),
        beacon: () => navigator.sendBeacon("/beacon?" + secret, "x"),
        image: () => new Promise(yes => Object.assign(new Image(), {onerror: yes, src: "/image?" + secret})),
        path: () => fetch("/path/" + secret),
        frame: () => new Promise(yes => {
            const frame = document.createElement("iframe");
            frame.onload = yes; frame.src = "/frame?" + secret; document.body.append(frame);
        }),
        style: () => new Promise(yes => {
            const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href: "/style?" + secret});
            link.onload = link.onerror = yes; document.head.append(link);
        }),
        script: () => import("/script?" + secret),
        events: () => new Promise(yes => { new EventSource("/events?" + secret).onerror = yes; }),
        prefetch: () => new Promise(yes => {
            const link = Object.assign(document.createElement("link"), {rel: "prefetch", href: "/prefetch?" + secret});
            link.onload = link.onerror = yes; document.head.append(link); setTimeout(yes, 1500);
        }),
        worker: () => new Promise(yes => {
            const worker = new Worker("/worker.js"); worker.onmessage = yes; worker.postMessage("/worker?" + secret);
        }),
        shared: () => new Promise(yes => {
            const worker = new SharedWorker("/worker.js"); worker.port.onmessage = yes;
            worker.port.start(); worker.port.postMessage("/shared?" + secret);
        }),
        service: async () => {
            await navigator.serviceWorker.register("/worker.js");
            const ready = await navigator.serviceWorker.ready;
            await new Promise(yes => {
                navigator.serviceWorker.onmessage = yes; setTimeout(yes, 1500);
                ready.active.postMessage("/service?" + secret);
            });
        },
        register: () => navigator.serviceWorker.register("/worker.js?register" + secret, {scope: "/x"}),
        socket: () => new Promise(yes => {
            const socket = new WebSocket("ws://" + location.host + "/socket?" + secret);
            socket.onerror = socket.onclose = yes;
        }),
        redirect: () => fetch("/redirect?" + secret.slice(0, 4) + "/" + secret.slice(4)),
    };
    await Promise.allSettled(Object.values(attempts).map(attempt => (async () => attempt())()));
    return Object.keys(attempts).length;
}"""


def worker(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/javascript")
    handler.end_headers()
    handler.wfile.write(WORKER.encode())


def redirect(handler: BaseHTTPRequestHandler) -> None:
    """Redirect to a URL that joins the two parts of the query."""
    first, _, second = handler.path.partition("?")[2].partition("/")
    handler.send_response(302)
    handler.send_header("Location", f"/redirected?{first}{second}")
    handler.end_headers()


@pytest.fixture
def site() -> Generator[Site]:
    pages: dict[str, str | Callable[[BaseHTTPRequestHandler], None]] = {
        "/": "<p>Page</p>",
        "/worker.js": worker,
        "/redirect": redirect,
    }
    with serving(pages) as served:
        yield served


@asynccontextmanager
async def opened(site: Site, *, from_the_start: bool) -> AsyncGenerator[tuple[ManagedContext, Page]]:
    proxy = EgressProxy()
    engine = ManagedEngine(proxy, guards_secrets=lambda: from_the_start)
    try:
        context = await engine.open(context_request(Settings()), Ruleset)
        page = await context.context.new_page()
        context.allow_navigation(Place("http", "localhost", site.port))
        await page.goto(f"http://localhost:{site.port}/")
        yield context, page
    finally:
        await engine.close()
        await proxy.close()


def leaked(site: Site, secret: str) -> list[str]:
    forms = UrlForms()
    forms.add([secret])
    return [path for path in site.hits if forms.found_in(path)]


@pytest.mark.browser
@pytest.mark.parametrize("from_the_start", [True, False])
async def test_no_request_of_a_page_leaves_with_a_secret_in_its_url(site: Site, from_the_start: bool) -> None:
    async with opened(site, from_the_start=from_the_start) as (context, page):
        await context.block_in_urls([PLAIN])
        assert await page.evaluate(TRIES, PLAIN) == 16
        assert leaked(site, PLAIN) == []
        assert any(path.startswith("/redirect?") for path in site.hits)
        await page.evaluate("fetch('/harmless?hunter2secre')")
        assert "/harmless?hunter2secre" in site.hits


@pytest.mark.browser
async def test_the_same_requests_leave_without_a_secret(site: Site) -> None:
    async with opened(site, from_the_start=True) as (_, page):
        await page.evaluate(TRIES, PLAIN)
        assert len(leaked(site, PLAIN)) >= 15


@pytest.mark.browser
async def test_navigations_links_and_forms_do_not_leave_with_a_secret(site: Site) -> None:
    async with opened(site, from_the_start=True) as (context, page):
        await context.block_in_urls([SECRET])
        base = f"http://localhost:{site.port}"
        with pytest.raises(Error, match="ERR_BLOCKED_BY_CLIENT"):
            await page.goto(f"{base}/open?q={quote(SECRET)}")
        error = context.last_network_error(f"{base}/open?q={quote(SECRET)}")
        assert isinstance(error, BlockedByPolicy)
        assert error.rule == "the rule on secrets"
        for how in (
            "const a = document.createElement('a'); a.href = '/link?q=' + encodeURIComponent(secret);"
            "document.body.append(a); a.click()",
            "document.body.innerHTML = '<form action=/form><input name=q></form>'; document.forms[0].q.value = secret;"
            "document.forms[0].submit()",
            "location = '/location?q=' + secret",
            "open('/window?q=' + encodeURIComponent(secret))",
        ):
            fresh = await page.context.new_page()
            await fresh.goto(f"{base}/")
            async with page.context.expect_event("requestfailed"):
                await fresh.evaluate(f"secret => {{ {how} }}", SECRET)
        assert leaked(site, SECRET) == []
        assert not any(path.startswith(("/open", "/link", "/form", "/location", "/window")) for path in site.hits)


@pytest.mark.browser
async def test_common_encodings_of_a_secret_are_blocked(site: Site) -> None:
    async with opened(site, from_the_start=True) as (context, page):
        await context.block_in_urls([SECRET])
        raw = SECRET.encode()
        forms = [
            quote(SECRET),
            quote(SECRET, safe=""),
            quote(quote(SECRET, safe=""), safe=""),
            quote_plus(SECRET),
            quote(SECRET, safe="").lower(),
            quote(base64.b64encode(raw), safe=""),
            base64.b64encode(b"user:" + raw).decode(),
            base64.urlsafe_b64encode(b"{'a': '" + raw + b"'}").decode(),
            raw.hex(),
        ]
        for number, form in enumerate(forms):
            came = await page.evaluate("url => fetch(url).then(() => true, () => false)", f"/form{number}?q={form}")
            assert not came, form
        assert not any(path.startswith("/form") for path in site.hits)


@given(st.text(min_size=4, max_size=30))
def test_a_url_with_the_value_is_found_in_any_quoting(value: str) -> None:
    forms = UrlForms()
    forms.add([value])
    raw = value.encode("utf-8", "surrogatepass")
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw), quote(raw, safe="!'()*~")):
        assert forms.found_in(f"https://example.com/?q={quoted}")


@given(st.text())
def test_a_pattern_matches_only_its_own_form(value: str) -> None:
    for form in url_forms(value):
        assert form.isascii()
        assert " " not in form


def test_a_value_that_is_too_short_is_ignored() -> None:
    assert url_forms("abc") == frozenset()
