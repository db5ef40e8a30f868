"""Each session of a real browser reaches the network through its own proxy session only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from http import HTTPStatus

import httpx
import pytest
from playwright.async_api import Error, Page

from browser_pilot.config.settings import Settings
from browser_pilot.egress import AccessPolicy, BlockedByPolicy, EgressProxy, NetworkFailure
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.engines.engine import ContextRequest
from browser_pilot.engines.managed import ManagedContext, ManagedEngine
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.policy.hosts import Site as Place
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.options import context_request
from tests.sites import Site, serving

pytestmark = pytest.mark.browser


@pytest.fixture
async def proxy() -> AsyncIterator[EgressProxy]:
    proxy = EgressProxy()
    yield proxy
    await proxy.close()


@pytest.fixture
async def engine(proxy: EgressProxy) -> AsyncIterator[ManagedEngine]:
    engine = ManagedEngine(proxy)
    yield engine
    await engine.close()


def request(*domains: str) -> ContextRequest:
    patterns = tuple(parse_pattern(domain) for domain in domains) or None
    return replace(context_request(Settings()), domains=patterns)


async def opened(context: ManagedContext, site: Site, path: str = "/", host: str = "127.0.0.1") -> Page:
    """A page on this site, as the gateway opens it."""
    page = await context.context.new_page()
    context.allow_navigation(Place("http", host, site.port))
    await page.goto(f"http://{host}:{site.port}{path}")
    return page


async def fetch_from(page: Page, url: str) -> None:
    await page.evaluate("url => fetch(url, {mode: 'no-cors'}).catch(() => 0)", url)


async def test_each_session_reaches_its_own_domains_only(engine: ManagedEngine) -> None:
    with serving({"/": "<p>Page</p>", "/data": "x"}) as site:
        other = f"http://other.localhost:{site.port}/data"
        narrow = await engine.open(request("127.0.0.1"), Ruleset)
        wide = await engine.open(request(), Ruleset)
        await fetch_from(await opened(narrow, site), other)
        assert "/data" not in site.hits
        error = narrow.last_network_error(other)
        assert isinstance(error, BlockedByPolicy)
        assert error.rule == "the session's domains"
        await fetch_from(await opened(wide, site), other)
        assert "/data" in site.hits
        assert wide.last_network_error(other) is None


async def test_without_the_proxy_nothing_is_reached_and_the_next_session_restarts_it(
    engine: ManagedEngine, proxy: EgressProxy
) -> None:
    with serving({"/": "<p>Page</p>"}) as site:
        context = await engine.open(request(), Ruleset)
        page = await opened(context, site)
        port = proxy.port
        await proxy.close()
        with pytest.raises(Error, match="ERR_PROXY_CONNECTION_FAILED"):
            await page.goto(site.url("/again"))
        assert "/again" not in site.hits
        again = await engine.open(request(), Ruleset)
        assert proxy.port == port
        await opened(again, site)
        # The earlier session continues too: its credentials are still registered.
        await (await context.context.new_page()).goto(site.url("/later"))
        assert "/later" in site.hits


async def test_the_credentials_of_a_closed_session_are_rejected(
    engine: ManagedEngine, proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials: list[str] = []
    register = proxy.register

    def record(key: str, secret: str, gate: AccessPolicy, *, parent: ParentProxy | None = None) -> None:
        credentials.append(f"{key}:{secret}")
        register(key, secret, gate, parent=parent)

    monkeypatch.setattr(proxy, "register", record)
    with serving({"/": "<p>Page</p>"}) as site:
        context = await engine.open(request(), Ruleset)
        await opened(context, site)

        async def status() -> int:
            address = f"http://{credentials[0]}@127.0.0.1:{proxy.port}"
            async with httpx.AsyncClient(proxy=address, trust_env=False) as client:
                return (await client.get(site.url("/"))).status_code

        assert await status() == HTTPStatus.OK
        await context.close()
        await proxy.wait_no_connections()
        assert await status() == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED


async def test_a_port_that_another_program_uses_is_reported(engine: ManagedEngine, proxy: EgressProxy) -> None:
    await engine.open(request(), Ruleset)
    port = proxy.port
    await proxy.close()
    other = EgressProxy()
    await other.start(port=port)
    with pytest.raises(BrowserUnavailable, match=f"cannot listen on port {port}"):
        await engine.open(request(), Ruleset)
    await other.close()


async def test_the_reason_why_a_server_was_not_reached_is_available(
    engine: ManagedEngine, unused_tcp_port: int
) -> None:
    with serving({"/": "<p>Page</p>"}) as site:
        context = await engine.open(request(), Ruleset)
        page = await opened(context, site)
        url = f"http://127.0.0.1:{unused_tcp_port}/"
        await fetch_from(page, url)
        error = context.last_network_error(url)
        assert isinstance(error, NetworkFailure)
        assert error.code == "ERR_CONNECTION_REFUSED"


async def test_a_local_page_may_use_local_https_but_not_next_to_a_page_without_a_site(engine: ManagedEngine) -> None:
    with serving({"/": "<p>Page</p>"}) as site:
        context = await engine.open(request(), Ruleset)
        page = await opened(context, site)
        target = f"https://127.0.0.1:{site.port}/"
        await fetch_from(page, target)
        assert context.last_network_error(target) is None
        stranger = await context.context.new_page()
        await stranger.goto("chrome://version")
        await fetch_from(page, f"https://localhost:{site.port}/")
        error = context.last_network_error(f"https://localhost:{site.port}/")
        assert isinstance(error, BlockedByPolicy)
        assert error.rule == "the rule on local addresses"
