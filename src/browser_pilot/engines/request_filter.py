"""The rules for a browser that does not go through our proxy: each request is judged before it leaves.

In a browser that is ours alone the whole browser is told, and every step of a redirect is judged; where others work in
it too, only our context, and not the steps of a redirect. WebSockets are judged when a page opens them. Neither sees
resolved addresses, WebRTC, or what the browser asks for by itself.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Route, WebSocketRoute

from ..egress import Ask, Refusal, SessionGate
from ..policy.hosts import page_site


def permitted(gate: SessionGate, url: str) -> bool:
    """What has no host (data:, blob:, about:) does not leave."""
    site = page_site(url.replace("ws", "http", 1) if url.startswith("ws") else url)
    if site is None or not site.host:
        return site is not None or url.startswith(("data:", "blob:", "about:"))
    found = gate.allows(Ask(site, "http", url=url))
    if found.allowed:
        gate.reached(site)
    else:
        gate.told(Refusal(site, found.rule, found.reason))
    return found.allowed


async def hold_to_rules(browser: Browser, context: BrowserContext, gate: SessionGate, *, alone: bool) -> None:
    """``alone`` when nobody else works in the browser."""
    await context.route_web_socket(lambda _: True, lambda socket: _judge_socket(gate, socket))
    if not alone:
        await context.route(lambda _: True, lambda route: _judge_route(gate, route))
        return
    session = await browser.new_browser_cdp_session()
    answers: set[asyncio.Task[None]] = set()

    def judge(event: dict[str, Any]) -> None:
        allowed = permitted(gate, str(event["request"]["url"]))
        task = asyncio.ensure_future(_answer(session, str(event["requestId"]), allowed=allowed))
        answers.add(task)
        task.add_done_callback(answers.discard)

    session.on("Fetch.requestPaused", judge)
    await _send(session, "Fetch.enable", {"patterns": [{"urlPattern": "*"}]})


async def _answer(session: CDPSession, request: str, *, allowed: bool) -> None:
    # The request may be gone by now.
    with suppress(Error):
        if allowed:
            await _send(session, "Fetch.continueRequest", {"requestId": request})
        else:
            await _send(session, "Fetch.failRequest", {"requestId": request, "errorReason": "BlockedByClient"})


async def _judge_route(gate: SessionGate, route: Route) -> None:
    with suppress(Error):
        if permitted(gate, route.request.url):
            await route.continue_()
        else:
            await route.abort("blockedbyclient")


async def _judge_socket(gate: SessionGate, socket: WebSocketRoute) -> None:
    if permitted(gate, socket.url):
        socket.connect_to_server()
        return
    with suppress(Error):
        await socket.close(code=1008, reason="not allowed")


async def _send(session: CDPSession, method: str, parameters: dict[str, Any]) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType]
