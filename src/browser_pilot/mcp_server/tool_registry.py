"""Tools as data: one declaration holds a tool's name, words, arguments, kind and handler; profiles choose among them.

A selection is written like ``standard,browser_evaluate,-browser_upload``: profiles and tool names add, ``-name``
removes, from left to right.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from ..approvals.queue import Door
from ..errors import SettingsError
from ..gateway import Gateway, Intent
from ..pages.facts import Aim
from ..policy.vocabulary import Effect
from ..sessions.client import Client
from .answers import Answer
from .schema import Arguments, TabArguments, lean_schema

Profile = Literal["minimal", "standard", "full"]
PROFILES: tuple[Profile, ...] = ("minimal", "standard", "full")
EVERYWHERE: frozenset[Profile] = frozenset(PROFILES)
STANDARD: frozenset[Profile] = frozenset({"standard", "full"})
MINIMAL_ONLY: frozenset[Profile] = frozenset({"minimal"})
FULL_ONLY: frozenset[Profile] = frozenset({"full"})

A = TypeVar("A", bound=Arguments)
# How far a call is: so much done, of so much where that is known, in words.
Progress = Callable[[float, float | None, str], Awaitable[None]]


async def _untold(_done: float, _total: float | None, _words: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Call:
    """One tool call under way: who called, the way to effects, and to the person who may have to be asked."""

    client: Client
    tool: Tool[Any]
    gateway: Gateway
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    doors: tuple[Door, ...] = ()
    progress: Progress = _untold

    def timeout_ms(self, arguments: TabArguments) -> int:
        """The call's own, the session's, or the client's."""
        return arguments.timeout_ms or self.gateway.timeout_ms(self.client, arguments.session, arguments.tab)

    def intent(
        self,
        arguments: TabArguments,
        *,
        effect: Effect | None = None,
        session: str | None = None,
        timeout_ms: int | None = None,
    ) -> Intent:
        """``session`` and ``timeout_ms`` go before what the arguments say."""
        return Intent(
            client=self.client,
            tool=self.tool.name,
            effect=effect or self.tool.effect,
            arguments=self.arguments,
            timeout_ms=timeout_ms or self.timeout_ms(arguments),
            session=session or arguments.session,
            tab=arguments.tab,
            doors=self.doors,
            aims=self.tool.aims(arguments),
            answers_dialog=self.tool.answers_dialog,
        )


def _at_nothing(_: Arguments) -> tuple[Aim, ...]:
    return ()


@dataclass(frozen=True)
class Tool(Generic[A]):
    name: str
    title: str
    description: str
    arguments: type[A]
    effect: Effect
    profiles: frozenset[Profile]
    handler: Callable[[Call, A], Awaitable[Answer]]
    destructive: bool = False
    # The elements that a call acts on, so that it can be decided about them.
    aims: Callable[[A], tuple[Aim, ...]] = _at_nothing
    answers_dialog: bool = False

    @property
    def read_only(self) -> bool:
        return self.effect in ("read", "capture")

    @property
    def schema(self) -> dict[str, Any]:
        return lean_schema(self.arguments)


class Registry:
    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __iter__(self):
        return iter(self._tools.values())

    def schema_of(self, name: str) -> dict[str, Any] | None:
        return next((tool.schema for tool in self if tool.name == name), None)

    def select(self, selection: str) -> dict[str, Tool[Any]]:
        chosen: set[str] = set()
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
            chosen = chosen - names if word.startswith("-") else chosen | names
        if not chosen:
            raise SettingsError(
                f"The selection {selection!r} leaves no tool.", suggestions=[f"Profiles: {', '.join(PROFILES)}."]
            )
        return {name: tool for name, tool in self._tools.items() if name in chosen}
