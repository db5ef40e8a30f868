"""Tools as data: one declaration holds a tool's name, description, arguments and operation; profiles select among them.

An operation is three plain functions: ``targets`` declares what is inspected before the authorization, ``execute`` does
it within the authorized call, ``render`` makes the result after the outcome was recorded. The gateway's pipeline calls
them in this order. A selection is written like ``standard,browser_evaluate,-browser_upload``: profiles and tool names
add, ``-name`` removes, from left to right. Some arguments of a tool exist only where the selection has ``full``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar, cast

import mcp_types as types

from browser_pilot.approvals.queue import ApprovalChannel
from browser_pilot.audit_log.entries import RunStep
from browser_pilot.errors import BrowserError, InvalidArgument, NoTab, SettingsError, Timeout
from browser_pilot.gateway import Gateway, Location, Scope, ToolCall, ToolContext
from browser_pilot.gateway.context import DeferChanges
from browser_pilot.gateway.tool_call import Progress, UserWait, no_progress
from browser_pilot.page.actions.target_facts import TargetSpec
from browser_pilot.page.downloads.downloadable import DownloadSpec
from browser_pilot.page.observe.cookies import CookieSpec
from browser_pilot.policy.hosts import url_origin
from browser_pilot.policy.types import Effect
from browser_pilot.sessions.client import Client

from .tool_result import ToolResult, result_of_undescribed_page, result_without_page
from .tool_schema import Arguments, TabArguments, lean_schema, parse_arguments

ToolProfile = Literal["minimal", "standard", "full"]
PROFILES: tuple[ToolProfile, ...] = ("minimal", "standard", "full")
EVERYWHERE: frozenset[ToolProfile] = frozenset(PROFILES)
STANDARD: frozenset[ToolProfile] = frozenset({"standard", "full"})
MINIMAL_ONLY: frozenset[ToolProfile] = frozenset({"minimal"})
FULL_ONLY: frozenset[ToolProfile] = frozenset({"full"})

A = TypeVar("A", bound=Arguments)
R = TypeVar("R")


def _no_targets(_: Arguments) -> tuple[TargetSpec, ...]:
    return ()


def _no_url(_: Arguments) -> str:
    return ""


def _no_files(_: Arguments) -> tuple[str, ...]:
    return ()


def _no_download(_: Arguments) -> None:
    return None


def _no_cookies(_: Arguments) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[A, R]):
    """``files`` are the paths of local files to upload, ``url`` is where a navigation goes.

    ``cookies`` are those that are used.

    ``download`` is what is saved, ``dialog`` means that the open dialog is responded to.
    ``effect`` is the tool's own unless given. ``extra_timeout_ms`` is added to the call's time where ``execute`` keeps
    the deadline itself and reports what it waited for.
    """

    execute: Callable[[ToolContext, A], Awaitable[R]]
    render: Callable[[ToolContext, A, R], Awaitable[ToolResult]]
    targets: Callable[[A], tuple[TargetSpec, ...]] = _no_targets
    files: Callable[[A], tuple[str, ...]] = _no_files
    url: Callable[[A], str] = _no_url
    download: Callable[[A], DownloadSpec | None] = _no_download
    cookies: Callable[[A], CookieSpec | None] = _no_cookies
    dialog: bool = False
    effect: Effect | None = None
    scope: Scope = Scope.TAB
    extra_timeout_ms: int = 0


@dataclass(frozen=True)
class StepScope:
    """What a run adds to the call of one of its steps: its place, and what is left of the run's time and tokens."""

    run: RunStep
    timeout_ms: int
    max_tokens: int
    user_wait: UserWait
    defer: DeferChanges


@dataclass(frozen=True)
class CallRequest:
    """One ``tools/call`` request, or one step of a run: who called which tool, and the channels on which a person can
    be asked. ``tools`` are those of the client.
    """

    client: Client
    tool: Tool[Any]
    gateway: Gateway
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    channels: tuple[ApprovalChannel, ...] = ()
    progress: Progress = no_progress
    tools: Mapping[str, Tool[Any]] = field(default_factory=dict[str, "Tool[Any]"])
    step: StepScope | None = None

    @property
    def report_progress(self) -> Progress | None:
        """None if the client did not ask for progress notifications."""
        return None if self.progress is no_progress else self.progress

    @property
    def run_step(self) -> RunStep | None:
        return None if self.step is None else self.step.run

    def timeout_ms(self, arguments: TabArguments) -> int:
        """The call's own, the session's, or the client's."""
        return arguments.timeout_ms or self.gateway.timeout_ms(self.client, arguments.session, arguments.tab)

    def call(
        self,
        operation: Operation[A, Any],
        arguments: A,
        *,
        session: str | None = None,
        tab: str | None = None,
        timeout_ms: int | None = None,
    ) -> ToolCall:
        """The call for the pipeline; the keywords override the arguments."""
        where = arguments if isinstance(arguments, TabArguments) else TabArguments()
        timeout_ms = timeout_ms or self.timeout_ms(where)
        if self.step is not None:
            timeout_ms = min(timeout_ms, self.step.timeout_ms)
        return ToolCall(
            client=self.client,
            tool=self.tool.name,
            effect=operation.effect or self.tool.effect,
            arguments=arguments.given(),
            timeout_ms=timeout_ms + operation.extra_timeout_ms,
            scope=operation.scope,
            session=session or where.session,
            tab=tab or where.tab,
            url=operation.url(arguments),
            targets=operation.targets(arguments),
            files=operation.files(arguments),
            dialog=operation.dialog,
            download=operation.download(arguments),
            cookies=operation.cookies(arguments),
            channels=self.channels,
            progress=self.progress,
            run=self.run_step,
            user_wait=UserWait() if self.step is None else self.step.user_wait,
        )

    async def run(
        self,
        operation: Operation[A, R],
        arguments: A,
        *,
        location: Location | None = None,
        session: str | None = None,
        tab: str | None = None,
        timeout_ms: int | None = None,
    ) -> ToolResult:
        """Run an operation through the pipeline and render its result."""
        context, outcome = await self.perform(
            operation, arguments, location=location, session=session, tab=tab, timeout_ms=timeout_ms
        )
        return await self.render(operation, context, arguments, outcome)

    async def perform(
        self,
        operation: Operation[A, R],
        arguments: A,
        *,
        location: Location | None = None,
        session: str | None = None,
        tab: str | None = None,
        timeout_ms: int | None = None,
    ) -> tuple[ToolContext, R]:
        """Run an operation through the pipeline, for a tool that does several before its result."""
        call = self.call(operation, arguments, session=session, tab=tab, timeout_ms=timeout_ms)
        return await self.gateway.run(call, lambda context: operation.execute(context, arguments), location=location)

    async def render(self, operation: Operation[A, R], context: ToolContext, arguments: A, outcome: R) -> ToolResult:
        if self.step is not None:
            context.defer, context.token_limit = self.step.defer, self.step.max_tokens
        return await describe(self.gateway, context, lambda: operation.render(context, arguments, outcome))


async def describe(gateway: Gateway, context: ToolContext, render: Callable[[], Awaitable[ToolResult]]) -> ToolResult:
    """Render the result of an authorized call that was executed."""
    # An action can lead to a page that was not authorized, also while the result is rendered.
    if (site := context.undescribed_site()) is not None:
        return result_of_undescribed_page(site)
    try:
        result = await gateway.render(context, render())
        result = result.with_notices(context.session.reload_notices(context.seen_tab))
        site = context.undescribed_site()
        return _without_undescribed_tabs(context, result) if site is None else result_of_undescribed_page(site)
    except (Timeout, BrowserError, NoTab) as error:
        if not context.call.has_effect:
            raise
        # The effect is done and recorded: that the page could not be read afterwards must not hide it.
        return result_without_page(error)


def _without_undescribed_tabs(context: ToolContext, result: ToolResult) -> ToolResult:
    """Of a new tab with a page that requires approval, the result has the origin and nothing else."""
    opened = cast("Sequence[Mapping[str, str]]", result.data.get("new_tabs", ()))
    shown = [
        {**tab, "url": url_origin(tab["url"])} if context.pages.requires_approval(tab["url"]) else tab for tab in opened
    ]
    return replace(result, data={**result.data, "new_tabs": shown}) if opened else result


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool has one ``operation``, or chooses among several by its arguments (``choose``), or is more than one
    operation of the browser (``handler``). ``full_arguments`` are those in the full profile, where it has more there;
    ``lists_all_arguments`` adds to the schema those that it has everywhere and that are rarely needed.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    effect: Effect
    profiles: frozenset[ToolProfile]
    operation: Operation[A, Any] | None = None
    choose: Callable[[A], Operation[A, Any]] | None = None
    handler: Callable[[CallRequest, A], Awaitable[ToolResult]] | None = None
    destructive: bool = False
    full_arguments: type[A] | None = None
    lists_all_arguments: bool = False

    @property
    def listed(self) -> bool:
        """Whether it is in the list of tools."""
        return True

    @property
    def read_only(self) -> bool:
        return self.effect in ("read", "capture")

    @property
    def annotations(self) -> types.ToolAnnotations:
        return types.ToolAnnotations(
            title=self.title, read_only_hint=self.read_only, destructive_hint=self.destructive, open_world_hint=True
        )

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """Only guests' tools return structured content."""
        return None

    @property
    def schema(self) -> dict[str, Any]:
        return lean_schema(self.arguments, full=self.lists_all_arguments)

    @property
    def in_full_profile(self) -> Tool[A]:
        return replace(self, arguments=self.full_arguments or self.arguments, lists_all_arguments=True)

    def parse(self, given: Mapping[str, Any]) -> A:
        """Validate the arguments of a call."""
        everywhere = self.arguments.model_fields
        full = {} if self.full_arguments is None else self.full_arguments.model_fields
        missing = [name for name in given if name in full and name not in everywhere]
        if missing:
            raise InvalidArgument(
                f"`{missing[0]}` of {self.name} is available in the tool profile `full` only.",
                suggestions=[
                    f"Arguments of this tool here: {', '.join(everywhere)}.",
                    "Your user can select the profile with `--tools full`.",
                ],
            )
        return parse_arguments(self.arguments, given)

    def check(self, arguments: A) -> None:
        """Raise what can be said against the arguments before the call is made."""
        if self.handler is None:
            self._operation_for(arguments).targets(arguments)

    async def run(self, request: CallRequest, arguments: A) -> ToolResult:
        if self.handler is not None:
            return await self.handler(request, arguments)
        return await request.run(self._operation_for(arguments), arguments)

    def _operation_for(self, arguments: A) -> Operation[A, Any]:
        operation = self.operation if self.choose is None else self.choose(arguments)
        if operation is None:
            raise AssertionError(f"{self.name} declares no operation")
        return operation


class ToolRegistry:
    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __iter__(self):
        return iter(self._tools.values())

    def schema_of(self, name: str) -> dict[str, Any] | None:
        return next((tool.schema for tool in self if tool.name == name), None)

    def select(self, selection: str) -> dict[str, Tool[Any]]:
        chosen: dict[str, Tool[Any]] = {}
        for word in (word.strip() for word in selection.split(",")):
            name = word.removeprefix("-")
            if name in PROFILES:
                names = {tool.name for tool in self._tools.values() if name in tool.profiles}
            elif name in self._tools:
                names = {name}
            elif word == "":
                continue
            else:
                raise SettingsError(
                    f"{name!r} is neither a tool nor a profile.",
                    suggestions=[f"Profiles: {', '.join(PROFILES)}.", f"Tools: {', '.join(self._tools)}."],
                )
            if word.startswith("-"):
                chosen = {chosen_name: tool for chosen_name, tool in chosen.items() if chosen_name not in names}
            elif name == "full":
                chosen |= {added: self._tools[added].in_full_profile for added in names}
            else:
                chosen = {added: self._tools[added] for added in names} | chosen
        if not chosen:
            raise SettingsError(
                f"The selection {selection!r} leaves no tool.", suggestions=[f"Profiles: {', '.join(PROFILES)}."]
            )
        return {name: chosen[name] for name in self._tools if name in chosen}
