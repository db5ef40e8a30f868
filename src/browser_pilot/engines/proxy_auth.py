"""Giving a context the egress proxy: its settings, and its credentials, shown once right after it was made.

Chromium keeps them for the context (connections of pages, workers and WebSockets alike), so that no request has to be
intercepted afterwards. The challenge is answered on the context's first page: the proxy's welcome has no content, so
that the page stays as it was and can be used for something else.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

from playwright.async_api import CDPSession, Error, Page, ProxySettings

from ..egress import BYPASS_NOTHING, WELCOME_URL, proxy_server
from ..errors import BrowserUnavailable


def proxy_settings(port: int) -> ProxySettings:
    """For ``new_context(proxy=…)``, without a user name: see ``egress.browser``."""
    return {"server": proxy_server(port), "bypass": BYPASS_NOTHING}


async def log_in(page: Page, key: str, secret: str, *, timeout_seconds: float = 10.0) -> None:
    """Raises ``BrowserUnavailable`` when the proxy does not let the page's context in."""
    answers: list[asyncio.Task[None]] = []
    challenged = False
    try:
        session = await page.context.new_cdp_session(page)

        def on_challenge(event: dict[str, Any]) -> None:
            nonlocal challenged
            # Wrong credentials are challenged again, without end.
            how = {"response": "ProvideCredentials", "username": key, "password": secret}
            response = {"response": "CancelAuth"} if challenged else how
            challenged = True
            parameters = {"requestId": event["requestId"], "authChallengeResponse": response}
            answers.append(asyncio.create_task(_answer(session, "Fetch.continueWithAuth", parameters)))

        def on_pause(event: dict[str, Any]) -> None:
            parameters = {"requestId": event["requestId"]}
            answers.append(asyncio.create_task(_answer(session, "Fetch.continueRequest", parameters)))

        session.on("Fetch.authRequired", on_challenge)
        session.on("Fetch.requestPaused", on_pause)
        patterns = [{"urlPattern": f"{WELCOME_URL}*"}]
        await _send(session, "Fetch.enable", {"handleAuthRequests": True, "patterns": patterns})
        async with asyncio.timeout(timeout_seconds):
            gone = await _send(session, "Page.navigate", {"url": WELCOME_URL})
        # That is how a navigation ends that brings no content; anything else is no welcome.
        if gone.get("errorText") != "net::ERR_ABORTED":
            raise BrowserUnavailable("The browser could not log in to Browser Pilot's own proxy.")
        await session.detach()
    except TimeoutError:
        raise BrowserUnavailable("The browser did not reach Browser Pilot's own proxy in time.") from None
    except Error as error:
        raise BrowserUnavailable(f"The browser cannot use Browser Pilot's own proxy: {error.message}") from error
    finally:
        await asyncio.gather(*answers)


async def _answer(session: CDPSession, method: str, parameters: dict[str, Any]) -> None:
    # The page may be gone before its request is answered.
    with suppress(Error):
        await _send(session, method, parameters)


async def _send(session: CDPSession, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", await session.send(method, parameters))  # pyright: ignore[reportUnknownMemberType]
