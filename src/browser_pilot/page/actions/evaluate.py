"""Runs a caller's JavaScript in the page's own world, and brings the result back as bounded JSON text."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.pages.action import Hand, perform
from browser_pilot.pages.cdp import send
from browser_pilot.pages.elements import Elements, parse_element
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument

LONGEST_RESULT = 20_000
DEFAULT_TIMEOUT_MS = 10_000
# Brackets within the parameters are told apart, so that `(async () => …)()` is the call that it is.
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
  return text.length > limit ? text.slice(0, limit) + '\u0000' + text.length : text;
}"""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result as JSON text; ``whole_length`` is larger than the text where it was cut."""

    json: str
    whole_length: int
    outcome: Outcome


async def evaluate(
    tab: Tab,
    expression: str,
    element: ElementArgument | None = None,
    *,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
    longest: int = LONGEST_RESULT,
) -> Evaluated:
    """The value of an expression, or of a function that is called (with ``element``, if there is one)."""
    results: list[tuple[str, int]] = []

    async def act(hand: Hand) -> Reply | None:
        hand.acts()
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                answer = await _run(hand, expression, element, timeout_ms)
                results.append(await _result(hand, answer, longest))
        except TimeoutError:
            raise Timeout(
                f"The script did not end within {timeout_ms} ms.", suggestions=["Give a larger timeout_ms."]
            ) from None
        return {}

    # The script runs in whatever document there is, so nothing needs to be looked up before it.
    outcome = await perform(tab, None, act, frame=tab.world.frames.last_main)
    text, whole_length = results[0] if results else ("null", 4)
    return Evaluated(text, whole_length, outcome)


async def _run(hand: Hand, expression: str, element: ElementArgument | None, timeout_ms: int) -> dict[str, Any]:
    is_function = _FUNCTION.match(expression) is not None
    if element is None:
        wrapped = f"({expression}\n)()" if is_function else _as_expression(expression)
        return await send(
            hand.session,
            "Runtime.evaluate",
            expression=wrapped,
            awaitPromise=True,
            userGesture=True,
            timeout=timeout_ms,
        )
    elements = Elements(hand.tab.world)
    found = await elements.resolve(parse_element(element))
    remote = await elements.handle(found)
    session = found.frame.session
    node = (await send(session, "DOM.describeNode", objectId=remote.object_id))["node"]
    own = (await send(session, "DOM.resolveNode", backendNodeId=node["backendNodeId"]))["object"]["objectId"]
    body = expression if is_function else f"(element) => ({expression}\n)"
    declaration = f"async function () {{ return await ({body}\n)(this) }}"
    answer = await send(
        session, "Runtime.callFunctionOn", objectId=own, functionDeclaration=declaration, awaitPromise=True
    )
    return {**answer, "session": session}


def _as_expression(text: str) -> str:
    """An object literal needs brackets to be one; statements must not have them."""
    stripped = text.strip().rstrip(";")
    return f"({stripped})" if stripped.startswith("{") else text


async def _result(hand: Hand, answer: dict[str, Any], longest: int) -> tuple[str, int]:
    thrown = answer.get("exceptionDetails")
    if thrown is not None:
        exception = thrown.get("exception", {})
        said = str(exception.get("description") or exception.get("value") or thrown.get("text"))
        raise InvalidArgument(f"The script threw {_first_lines(said)}", suggestions=["Correct the expression."])
    result = answer["result"]
    if "objectId" not in result:
        text = _plain(result)
        return text[:longest], len(text)
    session = answer.get("session", hand.session)
    told = await send(
        session,
        "Runtime.callFunctionOn",
        objectId=result["objectId"],
        functionDeclaration=_AS_JSON,
        arguments=[{"value": longest}],
        returnByValue=True,
    )
    if "exceptionDetails" in told:
        raise InvalidArgument("The result cannot be written as JSON.", suggestions=["Return plain data."])
    text, cut, whole = str(told["result"]["value"]).partition("\0")
    return text, int(whole) if cut else len(text)


def _plain(result: dict[str, Any]) -> str:
    """A value that came without a handle: a text, number, truth value, null, or a number that JSON does not know."""
    if "unserializableValue" in result:
        return json.dumps(str(result["unserializableValue"]))
    return json.dumps(result.get("value"), ensure_ascii=False)


def _first_lines(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(line.strip() for line in lines[:2])[:500]
