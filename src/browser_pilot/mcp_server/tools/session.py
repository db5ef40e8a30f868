"""Sessions: isolated browser states of one client, of which one is current."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from browser_pilot.config.settings import EngineName
from browser_pilot.egress.parent_proxy import parse_parent_proxy
from browser_pilot.engines.engine import ColorScheme, EmulationOptions
from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.gateway import Location, Scope, ToolContext
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, CallRequest, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import MAX_TIMEOUT_MS, TabArguments
from browser_pilot.page.actions.navigate import open_address
from browser_pilot.policy.patterns import Pattern, PatternError, parse_pattern
from browser_pilot.safe_text import one_line
from browser_pilot.sessions.options import SessionOptions
from browser_pilot.sessions.profiles import Profile, check_name, new_profile
from browser_pilot.sessions.session import Session

MAX_SIDE_PIXELS = 10_000
ENGINES = "managed; own: the user's Chrome; cdp, grid: where set up"
KINDS = ("chrome", "chromium", "edge", "playwright")
SidePixels = Annotated[int, Field(ge=1, le=MAX_SIDE_PIXELS)]
ShortText = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(one_line)]


def width_and_height(given: object) -> object:
    """``{width, height}`` in place of a list."""
    if not isinstance(given, Mapping):
        return given
    sides = cast("Mapping[str, object]", given)
    return [sides["width"], sides["height"]] if set(sides) == {"width", "height"} else sides


class SessionArguments(TabArguments):
    action: Literal["list", "create", "use", "close", "save"] = "list"
    session: Annotated[str | None, Field(description="a handle")] = None
    profile: ShortText | None = None
    viewport: Annotated[
        Annotated[list[SidePixels], Field(min_length=2, max_length=2, description="width, height")] | None,
        BeforeValidator(width_and_height),
    ] = None
    device: ShortText | None = None
    user_agent: ShortText | None = None
    locale: Annotated[str | None, Field(pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")] = None
    timezone: ShortText | None = None
    color_scheme: ColorScheme | None = None
    allowed_domains: Annotated[list[ShortText], Field(min_length=1, max_length=1000)] | None = None
    headed: bool = False
    engine: Annotated[EngineName | None, WithJsonSchema({"type": "string", "description": ENGINES})] = None
    browser: Annotated[ShortText | None, Field(description="own: which one; else chrome, edge, …")] = None
    storage_state: dict[str, Any] | None = None
    proxy: ShortText | None = None
    wait_ms: Annotated[int | None, Field(ge=0, le=MAX_TIMEOUT_MS)] = None


async def manage_sessions(request: CallRequest, arguments: SessionArguments) -> ToolResult:
    registry = request.gateway.sessions
    match arguments.action:
        case "list":
            registry.find(request.client, arguments.session)
            return ToolResult({"sessions": _rows(request), "profiles": await registry.profiles.names()})
        case "create":
            return await _create(request, arguments)
        case "use":
            session = registry.use(request.client, _session_id(arguments))
            return ToolResult({"session": session.id, "tab": session.current_tab_id})
        case "close":
            return await _close(request, arguments)
        case "save":
            return await _save(request, arguments)


async def _create(request: CallRequest, arguments: SessionArguments) -> ToolResult:
    registry = request.gateway.sessions
    profile = None if arguments.profile is None else await registry.profiles.load(arguments.profile)
    options = _options(arguments, profile)
    session = registry.plan(request.client, options)
    wait_ms = arguments.wait_ms or 0
    settings = request.client.settings
    opening_ms = int(session.max_opening_seconds * 1000)
    timeout_ms = max(settings.tools.timeout_ms, opening_ms) + wait_ms
    effect = "navigate" if options.state is None else "cookies"
    proxy = options.parent_proxy
    if proxy is not None:
        # The proxy receives all traffic, so it is authorized like a site. The session's domains limit pages only.
        unlimited = registry.plan(request.client, replace(options, domains=None))

        def proxy_url(_: SessionArguments) -> str:
            return proxy.url

        use_proxy = replace(AUTHORIZE, effect=effect, url=proxy_url)
        await request.run(use_proxy, arguments, location=Location(unlimited), timeout_ms=timeout_ms)

    async def add(_: ToolContext, __: SessionArguments) -> None:
        await registry.add(request.client, session, wait_seconds=wait_ms / 1000)

    create = replace(AUTHORIZE, effect=effect, execute=add, render=render_session)
    result = await request.run(create, arguments, location=Location(session), timeout_ms=timeout_ms)
    return result if profile is None else await _open_tabs(request, arguments, session, profile, result)


async def do_nothing(_: ToolContext, __: SessionArguments) -> None:
    """Only the authorization is needed."""


async def render_nothing(_: ToolContext, __: SessionArguments, ___: object) -> ToolResult:
    return ToolResult({})


async def render_session(context: ToolContext, _: SessionArguments, __: object) -> ToolResult:
    return ToolResult({"session": context.session.id})


AUTHORIZE = Operation[SessionArguments, None](scope=Scope.PLANNED_SESSION, execute=do_nothing, render=render_nothing)


async def _open_tabs(
    request: CallRequest, arguments: SessionArguments, session: Session, profile: Profile, result: ToolResult
) -> ToolResult:
    """Open the profile's tabs; each is a navigation of its own, authorized and recorded."""
    problems: list[str] = []
    for url in profile.urls:
        open_tab = Operation[SessionArguments, None](
            scope=Scope.NEW_TAB, url=lambda _, url=url: url, execute=open_url, render=render_nothing
        )
        try:
            await request.run(open_tab, arguments, session=session.id)
        except PilotError as error:
            problems.append(f"{url} was not opened: {error.message}")
    tabs = [{"tab": tab.id, "url": tab.page.url} for tab in session.tabs()]
    return ToolResult({**result.data, "tabs": tabs}).with_notices(problems)


async def open_url(context: ToolContext, _: SessionArguments) -> None:
    await open_address(context.action, context.url, timeout_ms=context.call.timeout_ms)


async def _close(request: CallRequest, arguments: SessionArguments) -> ToolResult:
    registry = request.gateway.sessions
    session = registry.find(request.client, arguments.session)

    async def close(_: ToolContext, __: SessionArguments) -> None:
        await registry.close_session(session)

    async def render_closed(_: ToolContext, __: SessionArguments, ___: None) -> ToolResult:
        return ToolResult({"closed": session.id, "session": registry.current_of(request.client)})

    operation = replace(AUTHORIZE, execute=close, render=render_closed)
    return await request.run(operation, arguments, location=Location(session), session=session.id)


async def _save(request: CallRequest, arguments: SessionArguments) -> ToolResult:
    if arguments.profile is None:
        raise InvalidArgument("`profile` is missing.", suggestions=["Name the profile to save to."])
    name = check_name(arguments.profile)

    async def save(context: ToolContext, _: SessionArguments) -> int:
        restore_point = await context.session.restore_point()
        if restore_point.state is None:
            raise InvalidArgument(
                "There is nothing to save: no page was opened, or this is the user's own browser.",
                suggestions=["Open a page in a managed session first."],
            )
        urls = tuple(tab.url for tab in restore_point.tabs if tab.url.startswith(("http://", "https://")))
        await request.gateway.sessions.profiles.save(name, new_profile(restore_point.state, urls))
        return len(urls)

    async def render_saved(_: ToolContext, __: SessionArguments, tabs: int) -> ToolResult:
        return ToolResult({"saved": name, "tabs": tabs})

    operation = Operation[SessionArguments, int](
        effect="cookies", scope=Scope.SESSION, execute=save, render=render_saved
    )
    return await request.run(operation, arguments)


def _rows(request: CallRequest) -> list[dict[str, object]]:
    registry, now = request.gateway.sessions, time.monotonic()
    current = registry.current_of(request.client)
    return [
        {
            "session": session.id,
            "current": session.id == current,
            "engine": session.engine,
            "profile": session.profile,
            "created": _local_time(session.created),
            "viewport": _size(session),
            "allowed_domains": " ".join(map(str, session.domains)) if session.domains is not None else "",
            "tabs": " ".join(tab.id for tab in session.tabs()),
            "idle_s": round(now - session.last_used),
            "asleep": not session.is_open,
        }
        for session in registry.of(request.client)
    ]


def _local_time(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")


def _size(session: Session) -> str:
    """Of its pages, or the device whose size they have; empty for the user's own windows."""
    viewport = session.request.viewport
    return session.request.emulation.device or "" if viewport is None else f"{viewport[0]}x{viewport[1]}"


def _session_id(arguments: SessionArguments) -> str:
    if arguments.session is None:
        raise InvalidArgument("`session` is missing.", suggestions=["Give a handle; browser_session lists them."])
    return arguments.session


def _options(arguments: SessionArguments, profile: Profile | None) -> SessionOptions:
    if arguments.session is not None:
        raise InvalidArgument("`session` does not go with create.", suggestions=["The result has the new handle."])
    if profile is not None and arguments.storage_state is not None:
        raise InvalidArgument("`profile` and `storage_state` do not go together.", suggestions=["Give one of them."])
    own = (arguments.engine or "managed") == "own"
    if not own and arguments.browser is not None and arguments.browser not in KINDS:
        raise InvalidArgument(
            f"browser = {arguments.browser[:80]!r} is no kind of browser.",
            suggestions=[f"Kinds: {', '.join(KINDS)}.", "With engine own: the name of a paired browser."],
        )
    width_height = arguments.viewport
    return SessionOptions(
        viewport=None if width_height is None else (width_height[0], width_height[1]),
        emulation=EmulationOptions(
            device=arguments.device,
            user_agent=arguments.user_agent,
            locale=None if arguments.locale is None else arguments.locale.replace("_", "-"),
            timezone=arguments.timezone,
            color_scheme=arguments.color_scheme,
        ),
        domains=None if arguments.allowed_domains is None else tuple(map(_pattern, arguments.allowed_domains)),
        timeout_ms=arguments.timeout_ms,
        headless=False if arguments.headed else None,
        engine=arguments.engine,
        browser=arguments.browser,
        parent_proxy=None if arguments.proxy is None else parse_parent_proxy(arguments.proxy),
        profile=arguments.profile,
        state=profile.state if profile is not None else arguments.storage_state,
    )


def _pattern(text: str) -> Pattern:
    try:
        return parse_pattern(text)
    except PatternError as error:
        raise InvalidArgument(
            f"allowed_domains has {text[:80]!r}: {error}", suggestions=["Give hosts like example.com, *.example.com."]
        ) from None


TOOLS = (
    Tool(
        name="browser_session",
        title="Sessions",
        description=(
            "Sessions with nothing in common. create makes one and uses it (`timeout_ms`: for its calls); "
            "a tab's id alone names its session; save keeps logins and tabs under `profile`."
        ),
        arguments=SessionArguments,
        effect="navigate",
        profiles=FULL_ONLY,
        handler=manage_sessions,
    ),
)
