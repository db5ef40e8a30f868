"""One typed door to Playwright's CDP sessions: parameters go in by name, the answer comes out as a dictionary.

Playwright does not type the protocol's answers: each caller picks what it needs at once and passes on its own types.
"""

from __future__ import annotations

from typing import Any, cast

from playwright.async_api import CDPSession


async def send(session: CDPSession, method: str, **params: object) -> dict[str, Any]:
    """Send one command and give back its answer; raises Playwright's Error when the browser refuses it."""
    return cast("dict[str, Any]", await session.send(method, params))  # pyright: ignore[reportUnknownMemberType]
