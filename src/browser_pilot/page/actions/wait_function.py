"""Waits until a caller's function is true, by running it again and again in the main frame.

It runs only on the site that was authorized. A navigation to another site ends the wait with ``ElementChanged``, and
the gateway authorizes again.
"""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import Error as PlaywrightError

from browser_pilot.page.cdp import send
from browser_pilot.page.playwright_errors import translate
from browser_pilot.upstream_errors import CALL_INTERRUPTED, CALL_NOT_STARTED

from .context import ActionContext
from .evaluate import require_authorized_site
from .scripts.side_effect_free import run_side_effect_free
from .scripts.source import as_program, raise_exception

POLL_SECONDS = 0.1
MAX_RESULT_CHARACTERS = 100


async def wait_for_function(context: ActionContext, function: str, timeout_ms: int) -> bool:
    """Poll until it is true; the caller ends the wait at the deadline."""
    poll = _is_true_without_side_effects if context.side_effect_free else _is_true
    while True:
        origin = require_authorized_site(context)
        try:
            if await poll(context, function, origin, timeout_ms):
                return True
        except PlaywrightError as error:
            navigated = CALL_INTERRUPTED.matches(error.message) or CALL_NOT_STARTED.matches(error.message)
            if not navigated or context.tab.page.is_closed():
                raise translate(error, "Waiting for the function") from error
        await asyncio.sleep(POLL_SECONDS)


async def _is_true_without_side_effects(
    context: ActionContext, function: str, origin: str | None, timeout_ms: int
) -> bool:
    _, is_true = await run_side_effect_free(
        context.tab, function, origin=origin, timeout_ms=timeout_ms, max_characters=MAX_RESULT_CHARACTERS
    )
    return is_true


async def _is_true(context: ActionContext, function: str, origin: str | None, timeout_ms: int) -> bool:
    response = await send(
        await context.tab.world.frames.main_session(),
        "Runtime.evaluate",
        expression=as_program(function, origin),
        awaitPromise=True,
        timeout=timeout_ms,
    )
    raise_exception(response, "The function cannot be run:", "Give an expression or a function that becomes true.")
    return _truth_of(response["result"])


def _truth_of(result: dict[str, Any]) -> bool:
    """Whether JavaScript takes a remote object for true."""
    if "unserializableValue" in result:
        return result["unserializableValue"] not in ("NaN", "-0", "0n")
    return "objectId" in result or bool(result.get("value"))
