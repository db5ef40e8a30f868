"""Runs a caller's JavaScript in the page's main world, and returns the result as JSON text of bounded size."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.page.cdp import send

from .context import ActionContext
from .outcome import Outcome
from .resolve import ElementArgument
from .runner import RunningAction, run_action
from .selectors import Elements, parse_element
from .wait_idle import PageReport

MAX_RESULT_CHARACTERS = 20_000
DEFAULT_TIMEOUT_MS = 10_000
# Parentheses within the parameters are matched, so that `(async () => …)()` is recognized as a call.
_PARAMETERS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_FUNCTION = re.compile(rf"\s*(?:async\s+)?(?:function\b.*\}}\s*\Z|{_PARAMETERS}\s*=>|[\w$]+\s*=>)", re.DOTALL)
_AS_JSON = r"""function (limit) {
  const above = [];
  const text = JSON.stringify(this, function (key, value) {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return `[function ${value.name}]`;
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Node) return `<${value.nodeName.toLowerCase()}${value.id ? ` id="${value.id}"` : ''}>`;
    if (value instanceof Window) return '[window]';
    if (value instanceof Error) return String(value);
    while (above.length && above.at(-1) !== this) above.pop();
    if (above.includes(value)) return '[circular]';
    above.push(value);
    if (value instanceof Map) return Object.fromEntries(value);
    return value instanceof Set || value instanceof NodeList || value instanceof HTMLCollection ? [...value] : value;
  }) ?? 'null';
  return text.length > limit ? text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '') + '\u0000' + text.length : text;
}"""


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The result as JSON text; ``full_length`` is larger than the text if it was truncated."""

    json: str
    full_length: int
    outcome: Outcome


async def evaluate(
    context: ActionContext,
    expression: str,
    element: ElementArgument | None = None,
    *,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    max_characters: int = MAX_RESULT_CHARACTERS,
) -> EvaluationResult:
    """The value of an expression, or of a function that is called (with ``element``, if there is one)."""
    results: list[tuple[str, int]] = []

    async def execute(action: RunningAction) -> PageReport | None:
        action.mark_sent()
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                response = await _run(action, expression, element, timeout_ms)
                results.append(await _result(action, response, max_characters))
        except TimeoutError:
            raise Timeout(
                f"The script did not end within {timeout_ms} ms.", suggestions=["Give a larger timeout_ms."]
            ) from None
        return {}

    # The script runs in the current document, so no frame needs to be looked up before it.
    outcome = await run_action(context, None, execute, frame=context.tab.world.frames.last_main)
    text, full_length = results[0] if results else ("null", 4)
    return EvaluationResult(text, full_length, outcome)


async def _run(
    action: RunningAction, expression: str, element: ElementArgument | None, timeout_ms: int
) -> dict[str, Any]:
    is_function = _FUNCTION.match(expression) is not None
    if element is None:
        wrapped = f"({expression}\n)()" if is_function else _as_expression(expression)
        return await send(
            action.session,
            "Runtime.evaluate",
            expression=wrapped,
            awaitPromise=True,
            userGesture=True,
            timeout=timeout_ms,
        )
    elements = Elements(action.tab.world)
    found = await elements.resolve(parse_element(element))
    remote = await elements.handle(found)
    session = found.frame.session
    node = (await send(session, "DOM.describeNode", objectId=remote.object_id))["node"]
    own = (await send(session, "DOM.resolveNode", backendNodeId=node["backendNodeId"]))["object"]["objectId"]
    body = expression if is_function else f"(element) => ({expression}\n)"
    declaration = f"async function () {{ return await ({body}\n)(this) }}"
    response = await send(
        session, "Runtime.callFunctionOn", objectId=own, functionDeclaration=declaration, awaitPromise=True
    )
    return {**response, "session": session}


def _as_expression(text: str) -> str:
    """An object literal needs parentheses; statements must not have them."""
    stripped = text.strip().rstrip(";")
    return f"({stripped})" if stripped.startswith("{") else text


async def _result(action: RunningAction, response: dict[str, Any], max_characters: int) -> tuple[str, int]:
    thrown = response.get("exceptionDetails")
    if thrown is not None:
        exception = thrown.get("exception", {})
        message = str(exception.get("description") or exception.get("value") or thrown.get("text"))
        raise InvalidArgument(f"The script threw {_first_lines(message)}", suggestions=["Correct the expression."])
    result = response["result"]
    if "objectId" not in result:
        text = _plain(result)
        return text[:max_characters], len(text)
    session = response.get("session", action.session)
    converted = await send(
        session,
        "Runtime.callFunctionOn",
        objectId=result["objectId"],
        functionDeclaration=_AS_JSON,
        arguments=[{"value": max_characters}],
        returnByValue=True,
    )
    if "exceptionDetails" in converted:
        raise InvalidArgument("The result cannot be written as JSON.", suggestions=["Return plain data."])
    text, separator, length = str(converted["result"]["value"]).partition("\0")
    return text, int(length) if separator else len(text)


def _plain(result: dict[str, Any]) -> str:
    """A primitive value: text, number, boolean, null, or a number that JSON does not have."""
    if "unserializableValue" in result:
        return json.dumps(str(result["unserializableValue"]))
    return json.dumps(result.get("value"), ensure_ascii=False)


def _first_lines(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(line.strip() for line in lines[:2])[:500]
