"""Cookies, localStorage and sessionStorage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Literal

from pydantic import AfterValidator

from browser_pilot.errors import InvalidArgument
from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import Arguments, TabArguments
from browser_pilot.page.observe import cookies as jar
from browser_pilot.page.observe.storage import StorageAction, StorageKind, use_storage
from browser_pilot.safe_text import one_line

CookieText = Annotated[str, AfterValidator(one_line)]


class CookiesArguments(TabArguments):
    action: Literal["get", "set", "delete", "clear"] = "get"
    name: CookieText | None = None
    value: CookieText | None = None
    url: CookieText | None = None
    domain: CookieText | None = None
    path: CookieText | None = None
    expires: float | None = None
    http_only: bool = False
    secure: bool = False


def used_cookies(arguments: CookiesArguments) -> jar.CookieSpec:
    return jar.CookieSpec(arguments.action, arguments.name, arguments.url, arguments.domain)


async def use_cookies(context: ToolContext, arguments: CookiesArguments) -> Mapping[str, object]:
    tab = context.tab
    match arguments.action:
        case "get":
            found = await jar.get_cookies(tab, name=arguments.name, url=arguments.url)
            return {"cookies": [asdict(cookie) for cookie in found]}
        case "clear":
            return {"cleared": await jar.clear_cookies(tab, sites=context.inspection.cookie_sites)}
        case action if arguments.name is None:
            raise InvalidArgument(f"`name` is missing: which cookie to {action}?", suggestions=["Give a name."])
        case "delete":
            return {"deleted": await jar.delete_cookies(tab, arguments.name, domain=arguments.domain)}
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
            return {"set": arguments.name}


class StorageArguments(TabArguments):
    action: StorageAction = "get"
    kind: StorageKind = "local"
    key: str | None = None
    value: str | None = None


async def use_page_storage(context: ToolContext, arguments: StorageArguments) -> Mapping[str, object]:
    items = await use_storage(
        context.tab, arguments.action, kind=arguments.kind, key=arguments.key, value=arguments.value
    )
    return {"items": [{"key": key, "value": value} for key, value in items.items()]}


async def render_data(_: ToolContext, __: Arguments, data: Mapping[str, object]) -> ToolResult:
    return ToolResult(data)


CHANGE_STORAGE = Operation[StorageArguments, Mapping[str, object]](execute=use_page_storage, render=render_data)
READ_STORAGE = replace(CHANGE_STORAGE, effect="read")


TOOLS = (
    Tool(
        name="browser_cookies",
        title="Cookies",
        description="Get, set, delete or clear cookies.",
        arguments=CookiesArguments,
        effect="cookies",
        profiles=FULL_ONLY,
        operation=Operation(cookies=used_cookies, execute=use_cookies, render=render_data),
        destructive=True,
    ),
    Tool(
        name="browser_storage",
        title="Page storage",
        description="Get, set, delete or clear localStorage or sessionStorage.",
        arguments=StorageArguments,
        effect="write",
        profiles=FULL_ONLY,
        choose=lambda arguments: READ_STORAGE if arguments.action == "get" else CHANGE_STORAGE,
        destructive=True,
    ),
)
