"""Applies the rules in a browser that does not use our proxy: each request is checked before it leaves.

In a browser of our own, interception covers the whole browser and every redirect; in a shared one, only our context,
and not redirects. WebSockets are checked when a page opens them. Neither sees resolved addresses, WebRTC, or the
browser's own requests.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Route, WebSocketRoute

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.egress import BlockedByPolicy, ConnectionRequest, SessionAccessPolicy
from browser_pilot.policy.hosts import page_site


def is_allowed(access_policy: SessionAccessPolicy, url: str) -> bool:
    """URLs without a host (data:, blob:, about:) do not leave the browser."""
    site = page_site(url.replace("ws", "http", 1) if url.startswith("ws") else url)
    if site is None or not site.host:
        return site is not None or url.startswith(("data:", "blob:", "about:"))
    found = access_policy.decide_host(ConnectionRequest(site, "http", url=url))
    if found.allowed:
        access_policy.record_connected(site)
    else:
        access_policy.record_error(BlockedByPolicy(site, found.rule, found.reason))
    return found.allowed


async def install_request_filter(
    browser: Browser, context: BrowserContext, access_policy: SessionAccessPolicy, *, is_exclusive: bool
) -> None:
    """``is_exclusive``: no other client uses the browser."""
    await context.route_web_socket(lambda _: True, lambda socket: _filter_web_socket(access_policy, socket))
    if not is_exclusive:
        await context.route(lambda _: True, lambda route: _filter_request(access_policy, route))
        return
    session = await browser.new_browser_cdp_session()
    tasks = BackgroundTasks("the request filter")

    def on_paused(event: dict[str, Any]) -> None:
        allowed = is_allowed(access_policy, str(event["request"]["url"]))
        tasks.spawn(_continue(session, str(event["requestId"]), allowed=allowed))

    session.on("Fetch.requestPaused", on_paused)
    await _send(session, "Fetch.enable", {"patterns": [{"urlPattern": "*"}]})


async def _continue(session: CDPSession, request: str, *, allowed: bool) -> None:
    # The request may be cancelled by now.
    with suppress(Error):
        if allowed:
            await _send(session, "Fetch.continueRequest", {"requestId": request})
        else:
            await _send(session, "Fetch.failRequest", {"requestId": request, "errorReason": "BlockedByClient"})


async def _filter_request(access_policy: SessionAccessPolicy, route: Route) -> None:
    with suppress(Error):
        if is_allowed(access_policy, route.request.url):
            await route.continue_()
        else:
            await route.abort("blockedbyclient")


async def _filter_web_socket(access_policy: SessionAccessPolicy, socket: WebSocketRoute) -> None:
    if is_allowed(access_policy, socket.url):
        socket.connect_to_server()
        return
    with suppress(Error):
        await socket.close(code=1008, reason="not allowed")


async def _send(session: CDPSession, method: str, parameters: dict[str, Any]) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType]
