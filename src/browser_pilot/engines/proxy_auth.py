"""Proxy settings of a context, and its authentication at the egress proxy, once, right after its creation.

Chromium keeps the credentials for the context (for pages, workers and WebSockets), so that no request has to be
intercepted afterwards. The challenge is handled on the context's first page: the proxy's welcome response has no
content, so that the page stays blank and can be used.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

from playwright.async_api import CDPSession, Error, Page, ProxySettings

from browser_pilot.egress import PROXY_BYPASS_LIST, PROXY_LOGIN_URL, proxy_server
from browser_pilot.errors import BrowserUnavailable
from browser_pilot.upstream_errors import NAVIGATION_ABORTED


def proxy_settings(port: int) -> ProxySettings:
    """For ``new_context(proxy=…)``, without a user name: see ``egress.chromium_flags``."""
    return {"server": proxy_server(port), "bypass": PROXY_BYPASS_LIST}


async def authenticate(page: Page, key: str, secret: str, *, timeout_seconds: float = 10.0) -> None:
    """Authenticate the page's context. Raises ``BrowserUnavailable`` when the proxy rejects it."""
    continuing: list[asyncio.Task[None]] = []
    challenged = False
    try:
        session = await page.context.new_cdp_session(page)

        def on_challenge(event: dict[str, Any]) -> None:
            nonlocal challenged
            # The proxy challenges wrong credentials again, endlessly.
            credentials = {"response": "ProvideCredentials", "username": key, "password": secret}
            response = {"response": "CancelAuth"} if challenged else credentials
            challenged = True
            parameters = {"requestId": event["requestId"], "authChallengeResponse": response}
            continuing.append(asyncio.create_task(_continue(session, "Fetch.continueWithAuth", parameters)))

        def on_pause(event: dict[str, Any]) -> None:
            parameters = {"requestId": event["requestId"]}
            continuing.append(asyncio.create_task(_continue(session, "Fetch.continueRequest", parameters)))

        session.on("Fetch.authRequired", on_challenge)
        session.on("Fetch.requestPaused", on_pause)
        patterns = [{"urlPattern": f"{PROXY_LOGIN_URL}*"}]
        await _send(session, "Fetch.enable", {"handleAuthRequests": True, "patterns": patterns})
        async with asyncio.timeout(timeout_seconds):
            navigation = await _send(session, "Page.navigate", {"url": PROXY_LOGIN_URL})
        # A navigation without content ends so; anything else is not the welcome response.
        if navigation.get("errorText") != NAVIGATION_ABORTED:
            raise BrowserUnavailable("The browser could not authenticate at Browser Pilot's own proxy.")
        await session.detach()
    except TimeoutError:
        raise BrowserUnavailable("The browser did not reach Browser Pilot's own proxy in time.") from None
    except Error as error:
        raise BrowserUnavailable(f"The browser cannot use Browser Pilot's own proxy: {error.message}") from error
    finally:
        await asyncio.gather(*continuing)


async def _continue(session: CDPSession, method: str, parameters: dict[str, Any]) -> None:
    # The page may close before the request continues.
    with suppress(Error):
        await _send(session, method, parameters)


async def _send(session: CDPSession, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", await session.send(method, parameters))  # pyright: ignore[reportUnknownMemberType]
