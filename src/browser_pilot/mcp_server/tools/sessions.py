"""Sessions: isolated browser states of one client, of which one is current."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from ...config import EngineName
from ...egress.parent_proxy import parse_parent_proxy
from ...engines.engine import ColorScheme, Look
from ...errors import InvalidArgument, PilotError
from ...pages.navigate import open_address
from ...pages.tab import Tab
from ...policy.hosts import Address
from ...policy.patterns import Pattern, PatternError, parse_pattern
from ...sessions.profiles import Profile, check_name, new_profile
from ...sessions.session import Session
from ...sessions.wishes import Wishes
from ..answers import Answer
from ..registry import FULL_ONLY, Call, Tool
from ..schema import LONGEST_TIMEOUT_MS, TabArguments

LARGEST_SIDE = 10_000
ENGINES = "managed; own: the user's Chrome; cdp, grid: where set up"
KINDS = ("chrome", "chromium", "edge", "playwright")
Side = Annotated[int, Field(ge=1, le=LARGEST_SIDE)]
Words = Annotated[str, Field(min_length=1, max_length=500)]


class SessionArguments(TabArguments):
    action: Literal["list", "create", "use", "close", "save"] = "list"
    session: Annotated[str | None, Field(description="a handle")] = None
    profile: Words | None = None
    viewport: Annotated[list[Side], Field(min_length=2, max_length=2)] | None = None
    device: Words | None = None
    user_agent: Words | None = None
    locale: Annotated[str | None, Field(pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")] = None
    timezone: Words | None = None
    color_scheme: ColorScheme | None = None
    allowed_domains: Annotated[list[Words], Field(min_length=1, max_length=1000)] | None = None
    headed: bool = False
    engine: Annotated[EngineName | None, WithJsonSchema({"type": "string", "description": ENGINES})] = None
    browser: Annotated[Words | None, Field(description="own: which one; else chrome, edge, …")] = None
    storage_state: dict[str, Any] | None = None
    proxy: Words | None = None
    wait_ms: Annotated[int | None, Field(ge=0, le=LONGEST_TIMEOUT_MS)] = None


async def sessions(call: Call, arguments: SessionArguments) -> Answer:
    match arguments.action:
        case "list":
            call.gateway.sessions.find(call.client, arguments.session)
            return Answer({"sessions": _rows(call), "profiles": await call.gateway.sessions.profiles.names()})
        case "create":
            return await _create(call, arguments)
        case "use":
            session = call.gateway.sessions.use(call.client, _wanted(arguments))
            return Answer({"session": session.id, "tab": session.current_tab_id})
        case "close":
            return await _close(call, arguments)
        case "save":
            return await _save(call, arguments)


async def _create(call: Call, arguments: SessionArguments) -> Answer:
    profiles = call.gateway.sessions.profiles
    profile = None if arguments.profile is None else await profiles.load(arguments.profile)
    wishes = _wishes(arguments, profile)
    session = call.gateway.plan_session(call.client, wishes)
    wait_ms = arguments.wait_ms or 0
    settings = call.client.settings
    effect = "navigate" if wishes.state is None else "cookies"
    intent = call.intent(
        arguments,
        effect=effect,
        timeout_ms=max(settings.tools.timeout_ms, settings.browser.launch_timeout_ms) + wait_ms,
    )
    if wishes.parent_proxy is not None:
        # What everything would be sent to is decided about like a place to go; the session's domains are for its pages.
        asking = call.gateway.plan_session(call.client, replace(wishes, domains=None))
        await call.gateway.on_planned(intent, asking, wishes.parent_proxy.url, _nothing)

    async def make() -> Answer:
        await call.gateway.sessions.add(call.client, session, wait_seconds=wait_ms / 1000)
        return Answer({"session": session.id})

    answer = await call.gateway.on_planned(intent, session, "", make)
    return answer if profile is None else await _open_tabs(call, arguments, session, profile, answer)


async def _nothing() -> None:
    """Only the decision was wanted."""


async def _open_tabs(
    call: Call, arguments: SessionArguments, session: Session, profile: Profile, answer: Answer
) -> Answer:
    """Each is a navigation like any other: decided about, and written down."""
    troubles: list[str] = []
    for url in profile.urls:
        intent = call.intent(arguments, effect="navigate", session=session.id)

        async def go(tab: Tab, address: Address, timeout_ms: int = intent.timeout_ms) -> None:
            await open_address(tab, address.href, timeout_ms=timeout_ms)

        try:
            await call.gateway.open_tab(intent, url, go)
        except PilotError as error:
            troubles.append(f"{url} was not opened: {error.message}")
    tabs = [{"tab": tab.id, "url": tab.page.url} for tab in session.tabs()]
    return Answer({**answer.data, "tabs": tabs}).noting(troubles)


async def _close(call: Call, arguments: SessionArguments) -> Answer:
    session = call.gateway.sessions.find(call.client, arguments.session)
    intent = call.intent(arguments, session=session.id)

    async def close() -> Answer:
        await call.gateway.sessions.close_session(session)
        return Answer({"closed": session.id, "session": call.gateway.sessions.current_of(call.client)})

    return await call.gateway.on_planned(intent, session, "", close)


async def _save(call: Call, arguments: SessionArguments) -> Answer:
    if arguments.profile is None:
        raise InvalidArgument("`profile` is missing.", suggestions=["Name the profile to save to."])
    name = check_name(arguments.profile)

    async def save(session: Session) -> Answer:
        kept = await session.keepsake()
        if kept.state is None:
            raise InvalidArgument(
                "There is nothing to save: no page was opened, or this is the user's own browser.",
                suggestions=["Open a page in a managed session first."],
            )
        urls = tuple(tab.url for tab in kept.tabs if tab.url.startswith(("http://", "https://")))
        await call.gateway.sessions.profiles.save(name, new_profile(kept.state, urls))
        return Answer({"saved": name, "tabs": len(urls)})

    return await call.gateway.on_session(call.intent(arguments, effect="cookies"), save)


def _rows(call: Call) -> list[dict[str, object]]:
    sessions, now = call.gateway.sessions, time.monotonic()
    current = sessions.current_of(call.client)
    return [
        {
            "session": session.id,
            "current": session.id == current,
            "engine": session.engine,
            "profile": session.profile,
            "tabs": " ".join(tab.id for tab in session.tabs()),
            "idle_s": round(now - session.last_used),
            "asleep": not session.is_open,
        }
        for session in sessions.of(call.client)
    ]


def _wanted(arguments: SessionArguments) -> str:
    if arguments.session is None:
        raise InvalidArgument("`session` is missing.", suggestions=["Give a handle; browser_session lists them."])
    return arguments.session


def _wishes(arguments: SessionArguments, profile: Profile | None) -> Wishes:
    if arguments.session is not None:
        raise InvalidArgument("`session` does not go with create.", suggestions=["The answer has the new handle."])
    if profile is not None and arguments.storage_state is not None:
        raise InvalidArgument("`profile` and `storage_state` do not go together.", suggestions=["Give one of them."])
    own = (arguments.engine or "managed") == "own"
    if not own and arguments.browser is not None and arguments.browser not in KINDS:
        raise InvalidArgument(
            f"browser = {arguments.browser[:80]!r} is no kind of browser.",
            suggestions=[f"Kinds: {', '.join(KINDS)}.", "With engine own: the name of a paired browser."],
        )
    width_height = arguments.viewport
    return Wishes(
        viewport=None if width_height is None else (width_height[0], width_height[1]),
        look=Look(
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
        handler=sessions,
    ),
)
