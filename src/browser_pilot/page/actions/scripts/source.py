"""The source text of a caller's script: a function or an expression, and the element that it gets.

Shared by the ways to run it: ``evaluate``, ``side_effect_free`` and ``wait_function``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import CDPSession

from browser_pilot.errors import ElementChanged, InvalidArgument
from browser_pilot.page.actions.resolve import Target, stale_error
from browser_pilot.page.cdp import send
from browser_pilot.page.tab import Tab

# Parentheses within the parameters are matched, so that `(async () => …)()` is recognized as a call.
_PARAMETERS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_FUNCTION = re.compile(rf"\s*(?:async\s+)?(?:function\b.*\}}\s*\Z|{_PARAMETERS}\s*=>|[\w$]+\s*=>)", re.DOTALL)
MAX_ERROR_CHARACTERS = 500
OTHER_ORIGIN = "browserPilotOtherOrigin"
# Converts `this` to JSON text of at most `limit` characters; its full length follows after a NUL.
AS_JSON = r"""function (limit) {
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


def is_function(source: str) -> bool:
    return _FUNCTION.match(source) is not None


def as_program(source: str, origin: str | None) -> str:
    """A program whose completion value is the script's: a function is called, an object literal gets parentheses.

    In a document of another ``origin`` it throws ``OTHER_ORIGIN`` before any of it runs. The URL that Playwright knows
    is not enough for this: it changes a moment after the document. The block keeps function declarations from being
    hoisted over that check.
    """
    program = _program(source)
    if origin is None:
        return program
    return f"if (location.origin !== {json.dumps(origin)}) throw {json.dumps(OTHER_ORIGIN)}; {{ {program}\n}}"


def _program(source: str) -> str:
    if is_function(source):
        return f"({source}\n)()"
    stripped = source.strip().rstrip(";")
    return f"({stripped}\n)" if stripped.startswith("{") else source


def raise_exception(response: Mapping[str, Any], problem: str, suggestion: str) -> None:
    """Raise what a program of ``as_program`` threw; do nothing if it returned."""
    thrown = response.get("exceptionDetails")
    if thrown is None:
        return
    exception = thrown.get("exception", {})
    if exception.get("value") == OTHER_ORIGIN:
        raise other_site_error()
    message = str(exception.get("description") or exception.get("value") or thrown.get("text"))
    raise InvalidArgument(f"{problem} {first_lines(message)}", suggestions=[suggestion])


def other_site_error() -> ElementChanged:
    return ElementChanged("The page is on another site now than the one that was authorized.")


def function_for_element(source: str) -> str:
    """A function of one element; an expression uses the name ``element``."""
    return source if is_function(source) else f"(element) => ({source}\n)"


def split_length(text: str) -> tuple[str, int]:
    """The text of ``AS_JSON``, and its full length."""
    shown, separator, length = text.partition("\0")
    return shown, int(length) if separator else len(shown)


def first_lines(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(line.strip() for line in lines[:2])[:MAX_ERROR_CHARACTERS]


async def main_world_element(tab: Tab, target: Target) -> tuple[CDPSession, str]:
    """The CDP session of the element's frame, and the element's object id in the main world of that frame."""
    remote = await tab.world.call_for_object(target.frame, "elementOf", target.ref)
    if remote is None:
        raise await stale_error(tab.world, target)
    session = remote.frame.session
    node = (await send(session, "DOM.describeNode", objectId=remote.object_id))["node"]
    resolved = await send(session, "DOM.resolveNode", backendNodeId=node["backendNodeId"])
    return session, str(resolved["object"]["objectId"])
