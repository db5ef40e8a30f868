"""The tools of guests beside our own: ``<guest>__<tool>``, with the guest's schema and texts, marked as third-party.

A selection includes them: ``-guests`` removes all of them, ``-news__search`` one; naming some adds only those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from pydantic import ConfigDict

from browser_pilot.gateway import Scope, ToolCall
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.installed.guest_store import InstalledGuest
from browser_pilot.guests.installed.manifest import UNKNOWN_HINTS, GuestTool, ToolHints
from browser_pilot.guests.installed.tool_names import SEPARATOR, exposed_names
from browser_pilot.guests.installed.tool_texts import MAX_TITLE_CHARACTERS, shown_schema, shown_text
from browser_pilot.guests.manager import GuestManager
from browser_pilot.sessions.client import Client

from .guest_result import content_of_guest
from .guest_tool_list import ListedTool, fit
from .tool_registry import EVERYWHERE, CallRequest, Tool, ToolRegistry
from .tool_result import ToolResult
from .tool_schema import Arguments

ALL_GUESTS = "guests"


class GuestArguments(Arguments):
    """Anything: the guest manager validates them against the guest's schema."""

    model_config = ConfigDict(extra="allow", frozen=True)


@dataclass(frozen=True)
class ThirdPartyTool(Tool[GuestArguments]):
    """``has_room`` is False for a tool that can be called, but has no room in the list."""

    guest_schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    guest_output_schema: Mapping[str, Any] | None = None
    claims: ToolHints = UNKNOWN_HINTS
    has_room: bool = True

    @property
    def listed(self) -> bool:
        return self.has_room

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", **self.guest_schema}

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        return self.guest_output_schema

    @property
    def annotations(self) -> types.ToolAnnotations:
        """The author's claims. What is unknown counts as the worst: MCP's own defaults."""
        read_only = self.claims.read_only is True
        destructive = self.claims.destructive
        return types.ToolAnnotations(
            title=self.title,
            read_only_hint=read_only,
            destructive_hint=not read_only if destructive is None else destructive,
            idempotent_hint=self.claims.idempotent,
            open_world_hint=self.claims.open_world is not False,
        )


def origin_of(client_id: str) -> str:
    return f"client:{client_id}"


class GuestRegistry(ToolRegistry):
    """Our own tools, and those of the enabled guests."""

    def __init__(self, own: ToolRegistry, guests: GuestManager) -> None:
        super().__init__(own)
        self._own = own
        self._guests = guests
        self._described: tuple[Sequence[tuple[InstalledGuest, GuestTool]], dict[str, ThirdPartyTool]] = ((), {})

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter([*self._own, *self._guest_tools().values()])

    def select(self, selection: str) -> dict[str, Tool[Any]]:
        selected = [word.strip() for word in selection.split(",")]
        about_guests = [word for word in selected if _is_about_guests(word)]
        others = [word for word in selected if word and not _is_about_guests(word)]
        own = self._own.select(",".join(others)) if others or not about_guests else {}
        named = {word for word in about_guests if not word.startswith("-")} - {ALL_GUESTS}
        removed = {word.removeprefix("-") for word in about_guests if word.startswith("-")}
        guests = {
            name: tool
            for name, tool in self._guest_tools().items()
            if (not named or name in named) and name not in removed and ALL_GUESTS not in removed
        }
        return {**own, **guests}

    def _guest_tools(self) -> dict[str, ThirdPartyTool]:
        tools = self._guests.tools
        # Describing them takes longer than most calls.
        if self._described[0] is not tools:
            self._described = (tools, _describe_all(self._guests, tools))
        return self._described[1]


def _is_about_guests(word: str) -> bool:
    name = word.removeprefix("-")
    return name == ALL_GUESTS or SEPARATOR in name


def _describe_all(guests: GuestManager, tools: Sequence[tuple[InstalledGuest, GuestTool]]) -> dict[str, ThirdPartyTool]:
    by_guest: dict[str, tuple[InstalledGuest, list[GuestTool]]] = {}
    for guest, tool in tools:
        by_guest.setdefault(guest.name, (guest, []))[1].append(tool)
    names = {guest: exposed_names(guest, [tool.name for tool in own]) for guest, (_, own) in by_guest.items()}
    wanted = {
        guest: [_listed(guest, names[guest][tool.name], tool) for tool in own] for guest, (_, own) in by_guest.items()
    }
    fitting = {listed.name: listed for shown in fit(wanted).values() for listed in shown}
    described: dict[str, ThirdPartyTool] = {}
    for name, (guest, own) in by_guest.items():
        for tool, listed in zip(own, wanted[name], strict=True):
            shown = fitting.get(listed.name)
            described[listed.name] = _describe(guests, guest, tool, shown or listed, is_listed=shown is not None)
    return described


def _listed(guest: str, name: str, tool: GuestTool) -> ListedTool:
    return ListedTool(
        name=name,
        title=shown_text(tool.title or tool.name, MAX_TITLE_CHARACTERS),
        description=f"[third-party guest {guest}] {shown_text(tool.description)}".strip(),
        schema=shown_schema(tool.schema),
        output_schema=None if tool.output_schema is None else shown_schema(tool.output_schema),
    )


def _describe(
    guests: GuestManager, guest: InstalledGuest, tool: GuestTool, listed: ListedTool, *, is_listed: bool
) -> ThirdPartyTool:
    async def run(request: CallRequest, _: GuestArguments) -> ToolResult:
        async def call() -> Mapping[str, Any]:
            context = call_context(request.client, request.tool.name, _tab_number(request), request)
            return await guests.call(
                guest.name, tool, request.arguments, context, report_progress=request.report_progress
            )

        result = await request.gateway.guest_calls.run(_tool_call(request), guest.name, call)
        content, note = await content_of_guest(
            guest.name,
            result,
            output_schema=tool.output_schema,
            max_tokens=request.client.settings.tools.max_tokens,
        )
        return ToolResult({} if note is None else {"note": note}, guest=content)

    return ThirdPartyTool(
        name=listed.name,
        title=listed.title,
        description=listed.description,
        arguments=GuestArguments,
        effect="script",
        profiles=EVERYWHERE,
        handler=run,
        guest_schema=listed.schema,
        guest_output_schema=listed.output_schema,
        claims=tool.hints,
        has_room=is_listed,
    )


def _tool_call(request: CallRequest) -> ToolCall:
    return ToolCall(
        client=request.client,
        tool=request.tool.name,
        effect="script",
        arguments=request.arguments,
        timeout_ms=0,
        scope=Scope.SESSION,
        channels=request.channels,
        run=request.run_step,
    )


def call_context(
    client: Client, tool: str, tab_id: int | None = None, request: CallRequest | None = None
) -> CallContext:
    return CallContext(
        origin=origin_of(client.id),
        client=client.id,
        client_name=client.name,
        tool=tool,
        tab_id=tab_id,
        caller=client,
        approval_channels=() if request is None else request.channels,
        approval_timeout_seconds=client.settings.policy.approval_timeout_s,
        read_only=client.settings.policy.mode == "readonly",
        run=None if request is None else request.run_step,
    )


def _tab_number(request: CallRequest) -> int | None:
    """The client's current tab, as a number: t3 is 3."""
    sessions = request.gateway.sessions
    current = sessions.current_of(request.client)
    tab = next((one.current_tab_id for one in sessions.of(request.client) if one.id == current), None)
    return int(tab[1:]) if tab else None
