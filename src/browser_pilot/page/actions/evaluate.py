"""Runs a caller's JavaScript in the page's main world, and returns the result as JSON text of bounded size.

A script that was authorized only without side effects runs as ``scripts.side_effect_free`` describes.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.page.cdp import send
from browser_pilot.page.playwright_errors import translated
from browser_pilot.policy.hosts import page_site, url_origin

from .context import ActionContext
from .outcome import Outcome
from .resolve import Target
from .runner import RunningAction, run_action
from .scripts.side_effect_free import run_side_effect_free
from .scripts.source import (
    AS_JSON,
    as_program,
    function_for_element,
    main_world_element,
    other_site_error,
    raise_exception,
    split_length,
)
from .wait_idle import PageReport

MAX_RESULT_CHARACTERS = 20_000
DEFAULT_TIMEOUT_MS = 10_000
# Marks an agent's script for the extension (``focus_guard.js``): what it opens in the user's Chrome is the agent's.
AGENT_SCRIPT_GROUP = "browser-pilot-agent-script"


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The result as JSON text; ``full_length`` is larger than the text if it was truncated."""

    json: str
    full_length: int
    outcome: Outcome


async def evaluate(
    context: ActionContext,
    expression: str,
    target: Target | None = None,
    *,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    max_characters: int = MAX_RESULT_CHARACTERS,
) -> EvaluationResult:
    """The value of an expression, or of a function that is called (with the element, if there is a target)."""
    if context.side_effect_free:
        return await _evaluate_side_effect_free(context, expression, target, timeout_ms, max_characters)
    results: list[tuple[str, int]] = []

    async def execute(action: RunningAction) -> PageReport | None:
        origin = require_authorized_site(context)
        action.mark_sent()
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                response = await _run(action, expression, target, origin, timeout_ms)
                results.append(await _result(action, response, max_characters))
        except TimeoutError:
            raise _timeout_error(timeout_ms) from None
        return {}

    # The script runs in the current document, so no frame needs to be looked up before it.
    outcome = await run_action(context, None, execute, frame=context.tab.world.frames.last_main)
    text, full_length = results[0] if results else ("null", 4)
    return EvaluationResult(text, full_length, outcome)


def require_authorized_site(context: ActionContext) -> str | None:
    """The origin of the page; raises when the page is on another site than the authorized one.

    None for code that acts without a tool call: it is authorized for no particular site.
    """
    if context.site is None:
        return None
    url = context.tab.page.url
    if page_site(url) != context.site:
        raise other_site_error()
    return url_origin(url)


async def _evaluate_side_effect_free(
    context: ActionContext, expression: str, target: Target | None, timeout_ms: int, max_characters: int
) -> EvaluationResult:
    tab = context.tab
    tab.dialogs.require_none()
    running = run_side_effect_free(
        tab,
        expression,
        target,
        origin=require_authorized_site(context),
        timeout_ms=timeout_ms,
        max_characters=max_characters,
    )
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            with translated("Running a script without side effects"):
                text, _ = await tab.dialogs.unless_opened(running)
    except TimeoutError:
        raise _timeout_error(timeout_ms) from None
    shown, full_length = split_length(text)
    return EvaluationResult(shown[:max_characters], full_length, Outcome())


def _timeout_error(timeout_ms: int) -> Timeout:
    return Timeout(f"The script did not end within {timeout_ms} ms.", suggestions=["Give a larger timeout_ms."])


async def _run(
    action: RunningAction, expression: str, target: Target | None, origin: str | None, timeout_ms: int
) -> dict[str, Any]:
    if target is None:
        return await send(
            action.session,
            "Runtime.evaluate",
            expression=as_program(expression, origin),
            awaitPromise=True,
            userGesture=True,
            objectGroup=AGENT_SCRIPT_GROUP,
            timeout=timeout_ms,
        )
    session, object_id = await main_world_element(action.tab, target)
    declaration = f"async function () {{ return await ({function_for_element(expression)}\n)(this) }}"
    response = await send(
        session,
        "Runtime.callFunctionOn",
        objectId=object_id,
        functionDeclaration=declaration,
        awaitPromise=True,
        objectGroup=AGENT_SCRIPT_GROUP,
    )
    return {**response, "session": session}


async def _result(action: RunningAction, response: dict[str, Any], max_characters: int) -> tuple[str, int]:
    raise_exception(response, "The script threw", "Correct the expression.")
    result = response["result"]
    if "objectId" not in result:
        text = _plain(result)
        return text[:max_characters], len(text)
    session = response.get("session", action.session)
    converted = await send(
        session,
        "Runtime.callFunctionOn",
        objectId=result["objectId"],
        functionDeclaration=AS_JSON,
        arguments=[{"value": max_characters}],
        returnByValue=True,
    )
    if "exceptionDetails" in converted:
        raise InvalidArgument("The result cannot be written as JSON.", suggestions=["Return plain data."])
    return split_length(str(converted["result"]["value"]))


def _plain(result: dict[str, Any]) -> str:
    """A primitive value: text, number, boolean, null, or a number that JSON does not have."""
    if "unserializableValue" in result:
        return json.dumps(str(result["unserializableValue"]))
    return json.dumps(result.get("value"), ensure_ascii=False)
