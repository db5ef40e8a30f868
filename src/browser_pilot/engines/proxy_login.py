"""Giving a context the egress proxy: its settings, and its credentials, shown once right after it was made.

Chromium keeps them for the context (connections of pages, workers and WebSockets alike), so that no request has to be
intercepted afterwards. The challenge is answered on a page of its own, which is closed again.
"""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Error, ProxySettings

from ..egress import BYPASS_NOTHING, WELCOME_URL, proxy_server
from ..errors import BrowserUnavailable


def proxy_settings(port: int) -> ProxySettings:
    """For ``new_context(proxy=…)``, without a user name: see ``egress.browser``."""
    return {"server": proxy_server(port), "bypass": BYPASS_NOTHING}


async def log_in(context: BrowserContext, key: str, secret: str, *, timeout_ms: float = 10_000) -> None:
    """Raises ``BrowserUnavailable`` when the proxy does not let the context in."""
    page = await context.new_page()
    answers: list[asyncio.Task[None]] = []
    challenged = False
    try:
        session = await context.new_cdp_session(page)

        def on_challenge(event: dict[str, Any]) -> None:
            nonlocal challenged
            # Wrong credentials are challenged again, without end.
            how = {"response": "ProvideCredentials", "username": key, "password": secret}
            response = {"response": "CancelAuth"} if challenged else how
            challenged = True
            parameters = {"requestId": event["requestId"], "authChallengeResponse": response}
            answers.append(asyncio.create_task(_send(session, "Fetch.continueWithAuth", parameters)))

        def on_pause(event: dict[str, Any]) -> None:
            parameters = {"requestId": event["requestId"]}
            answers.append(asyncio.create_task(_send(session, "Fetch.continueRequest", parameters)))

        session.on("Fetch.authRequired", on_challenge)
        session.on("Fetch.requestPaused", on_pause)
        patterns = [{"urlPattern": f"{WELCOME_URL}*"}]
        await _send(session, "Fetch.enable", {"handleAuthRequests": True, "patterns": patterns})
        response = await page.goto(WELCOME_URL, timeout=timeout_ms)
        if response is None or not response.ok:
            raise BrowserUnavailable("The browser could not log in to Browser Pilot's own proxy.")
    except Error as error:
        raise BrowserUnavailable(f"The browser cannot use Browser Pilot's own proxy: {error.message}") from error
    finally:
        await page.close()
        await asyncio.gather(*answers, return_exceptions=True)


async def _send(session: CDPSession, method: str, parameters: dict[str, Any]) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType] (Playwright's is a bare dict)
