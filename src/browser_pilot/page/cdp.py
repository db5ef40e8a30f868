"""Sends CDP commands through Playwright's CDP sessions: parameters by name, the response as a dictionary.

Playwright does not type CDP responses: each caller reads the fields that it needs and returns its own types.
"""

from __future__ import annotations

from typing import Any, cast

from playwright.async_api import CDPSession


async def send(session: CDPSession, method: str, **params: object) -> dict[str, Any]:
    """Send one command and return its response; raises Playwright's Error when the browser responds with an error."""
    return cast("dict[str, Any]", await session.send(method, params))  # pyright: ignore[reportUnknownMemberType]
