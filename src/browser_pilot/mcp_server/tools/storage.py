"""Reaching into a page: scripts, cookies and storage."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from ...errors import InvalidArgument
from ...pages import cookies as jar
from ...pages.evaluate import evaluate
from ...pages.storage import StorageAction, StorageKind, use_storage
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import FULL_ONLY, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import action_data


class EvaluateArguments(TabArguments):
    expression: Annotated[str, Field(min_length=1)]
    element: Element | None = None


async def run_script(call: Call, arguments: EvaluateArguments) -> Answer:
    intent = call.intent(arguments)

    async def do(tab: Tab) -> Answer:
        done = await evaluate(tab, arguments.expression, arguments.element, timeout_ms=intent.timeout_ms)
        max_tokens = call.client.settings.tools.max_tokens
        data: dict[str, object] = {"result": done.json}
        if done.whole_length > len(done.json):
            data["result_length"] = done.whole_length
        if not (tab.sight.knows_page or done.outcome.new_document):
            # Whoever asks a page that it has not looked at wants the value, and has nothing to compare changes with.
            return Answer({**data, **done.outcome.facts()})
        told = await action_data(tab, done.outcome, max_tokens=max_tokens, timeout_ms=intent.timeout_ms)
        return Answer({**data, **told})

    return await call.gateway.on_tab(intent, do)


class CookiesArguments(TabArguments):
    action: Literal["get", "set", "delete", "clear"] = "get"
    name: str | None = None
    value: str | None = None
    url: str | None = None
    domain: str | None = None
    path: str | None = None
    expires: float | None = None
    http_only: bool = False
    secure: bool = False


async def cookies(call: Call, arguments: CookiesArguments) -> Answer:
    async def do(tab: Tab) -> Answer:
        match arguments.action:
            case "get":
                found = await jar.get_cookies(tab, name=arguments.name, url=arguments.url)
                return Answer({"cookies": [asdict(cookie) for cookie in found]})
            case "clear":
                return Answer({"cleared": await jar.clear_cookies(tab)})
            case action if arguments.name is None:
                raise InvalidArgument(f"`name` is missing: which cookie to {action}?", suggestions=["Give a name."])
            case "delete":
                return Answer({"deleted": await jar.delete_cookies(tab, arguments.name, domain=arguments.domain)})
            case "set":
                if arguments.value is None:
                    raise InvalidArgument("`value` is missing.", suggestions=["Give the value that the cookie gets."])
                await jar.set_cookie(
                    tab,
                    arguments.name,
                    arguments.value,
                    url=arguments.url,
                    domain=arguments.domain,
                    path=arguments.path,
                    expires=arguments.expires,
                    http_only=arguments.http_only,
                    secure=arguments.secure,
                )
                return Answer({"set": arguments.name})

    return await call.gateway.on_tab(call.intent(arguments), do)


class StorageArguments(TabArguments):
    action: StorageAction = "get"
    kind: StorageKind = "local"
    key: str | None = None
    value: str | None = None


async def storage(call: Call, arguments: StorageArguments) -> Answer:
    effect = "read" if arguments.action == "get" else None

    async def do(tab: Tab) -> Answer:
        items = await use_storage(tab, arguments.action, kind=arguments.kind, key=arguments.key, value=arguments.value)
        return Answer({"items": [{"key": key, "value": value} for key, value in items.items()]})

    return await call.gateway.on_tab(call.intent(arguments, effect=effect), do)


TOOLS = (
    Tool(
        name="browser_evaluate",
        title="Run a script",
        description="The value of a JavaScript expression or function.",
        arguments=EvaluateArguments,
        effect="script",
        profiles=FULL_ONLY,
        handler=run_script,
        destructive=True,
    ),
    Tool(
        name="browser_cookies",
        title="Cookies",
        description="Get, set, delete or clear cookies.",
        arguments=CookiesArguments,
        effect="cookies",
        profiles=FULL_ONLY,
        handler=cookies,
        destructive=True,
    ),
    Tool(
        name="browser_storage",
        title="Page storage",
        description="Get, set, delete or clear localStorage or sessionStorage.",
        arguments=StorageArguments,
        effect="write",
        profiles=FULL_ONLY,
        handler=storage,
        destructive=True,
    ),
)
