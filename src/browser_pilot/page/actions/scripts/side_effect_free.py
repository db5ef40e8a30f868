"""Runs a caller's JavaScript in the page's main world as long as it has no side effects.

V8 ends the script before its first possible side effect (``throwOnSideEffect`` of CDP), and nothing has happened then.
V8 is conservative: some scripts that only read are ended too. Three things are checked besides:

- The script is one expression or function. It is parsed in the isolated world, without running it, between brackets and
  between parentheses: a text that closes one of them and goes on outside (``1), pay(), (2``) fails in the other.
- The result is converted to text within the same evaluation. A getter, a Proxy or ``toJSON`` of the result would
  otherwise run when the browser reads the result, and V8 would not check it.
- The browser knows ``throwOnSideEffect``: CDP ignores unknown parameters, and not every CDP endpoint is a Chrome.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.actions.resolve import Target
from browser_pilot.page.cdp import send
from browser_pilot.page.tab import Tab
from browser_pilot.upstream_errors import POSSIBLE_SIDE_EFFECT

from .source import AS_JSON, first_lines, function_for_element, is_function, main_world_element, other_site_error

_PARSE = r"""(source) => {
  const error = (text) => { try { new Function(text); return '' } catch (thrown) { return String(thrown) } };
  if (!error(`return [\n${source}\n]`) && !error(`return (\n${source}\n)`)) return 'expression';
  return error(source) || 'statements';
}"""
_PARSED_AS_EXPRESSION, _PARSED_AS_STATEMENTS = "expression", "statements"
_CANARY = "globalThis.browserPilotCanary = 1"
# Its result is always text: a kind and, after a space, the value as JSON or the exception.
_RUN = f"""(run, origin, limit) => {{
  if (origin !== null && location.origin !== origin) return 'moved';
  let value;
  try {{ value = run() }} catch (error) {{
    return error instanceof Error ? `threw ${{error.name}}: ${{error.message}}` : `threw ${{error}}`;
  }}
  if (value instanceof Promise) return 'promise';
  const kind = value ? 'true' : 'false';
  if (typeof value === 'bigint') return `${{kind}} "${{value}}n"`;
  if (typeof value === 'number' && !isFinite(value)) return `${{kind}} "${{value}}"`;
  if (typeof value === 'function' || typeof value === 'object' && value !== null)
    return `${{kind}} ${{({AS_JSON}).call(value, limit)}}`;
  return `${{kind}} ${{JSON.stringify(value) ?? 'null'}}`;
}}"""


class PossibleSideEffect(InvalidArgument):
    """The script may have side effects and was not run. The gateway authorizes it again, as a script that has some."""

    def __init__(self) -> None:
        super().__init__("The script may change the page, which was not authorized.")


async def run_side_effect_free(
    tab: Tab,
    expression: str,
    target: Target | None = None,
    *,
    origin: str | None,
    timeout_ms: int,
    max_characters: int,
) -> tuple[str, bool]:
    """The result as JSON text, and whether it is true. Raises ``PossibleSideEffect``; then nothing has happened.

    Without a target it runs in the main frame, if that has this ``origin``; raises ``ElementChanged`` otherwise.
    """
    source = expression.strip().rstrip(";")
    await _require_expression(tab, source)
    if target is None:
        return _result(await _evaluate(tab, source, origin, timeout_ms, max_characters))
    return _result(await _call_on(tab, source, target, max_characters))


async def _evaluate(tab: Tab, source: str, origin: str | None, timeout_ms: int, limit: int) -> dict[str, Any]:
    run = f"() => ({source}\n)()" if is_function(source) else f"() => ({source}\n)"
    return await send(
        await tab.world.frames.main_session(),
        "Runtime.evaluate",
        expression=f"({_RUN})({run}, {json.dumps(origin)}, {limit})",
        throwOnSideEffect=True,
        returnByValue=True,
        timeout=timeout_ms,
    )


async def _call_on(tab: Tab, source: str, target: Target, limit: int) -> dict[str, Any]:
    session, object_id = await main_world_element(tab, target)
    run = f"() => ({function_for_element(source)}\n)(this)"
    return await send(
        session,
        "Runtime.callFunctionOn",
        objectId=object_id,
        functionDeclaration=f"function (limit) {{ return ({_RUN})({run}, null, limit) }}",
        arguments=[{"value": limit}],
        throwOnSideEffect=True,
        returnByValue=True,
    )


async def _require_expression(tab: Tab, source: str) -> None:
    """Raise unless the source is one expression, and the browser can run it without side effects."""
    frame = await tab.world.main_frame()
    context_id = (await tab.world.install(frame)).context_id
    parsed, canary = await asyncio.gather(
        send(
            frame.session,
            "Runtime.evaluate",
            expression=f"({_PARSE})({json.dumps(source)})",
            contextId=context_id,
            returnByValue=True,
        ),
        send(frame.session, "Runtime.evaluate", expression=_CANARY, contextId=context_id, throwOnSideEffect=True),
    )
    kind = str(parsed["result"].get("value"))
    if kind == _PARSED_AS_STATEMENTS or not _is_side_effect(canary):
        raise PossibleSideEffect
    if kind != _PARSED_AS_EXPRESSION:
        raise InvalidArgument(f"The script threw {first_lines(kind)}", suggestions=["Correct the expression."])


def _is_side_effect(response: dict[str, Any]) -> bool:
    exception = response.get("exceptionDetails", {}).get("exception", {})
    return POSSIBLE_SIDE_EFFECT.matches(str(exception.get("description")))


def _result(response: dict[str, Any]) -> tuple[str, bool]:
    if _is_side_effect(response):
        raise PossibleSideEffect
    if "exceptionDetails" in response:
        raise InvalidArgument("The script could not be run to its end.", suggestions=["Correct the expression."])
    kind, _, text = str(response["result"].get("value")).partition(" ")
    if kind in ("true", "false"):
        return text, kind == "true"
    if kind == "threw":
        raise InvalidArgument(f"The script threw {first_lines(text)}", suggestions=["Correct the expression."])
    if kind == "moved":
        raise other_site_error()
    # A promise: V8 cannot check what runs after its first await.
    raise PossibleSideEffect
