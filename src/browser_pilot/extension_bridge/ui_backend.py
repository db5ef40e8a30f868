"""What the bridge needs of the hub to answer the extension's own pages: the popup, the side panel and the options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..errors import NoSession
from .wire import Json


@dataclass(frozen=True)
class DrivenTabState:
    """What people are told about a tab that agents may drive. ``id`` is Chrome's own number for it."""

    id: int
    kind: str
    agent: str
    since: float


class Desk(Protocol):
    """Where the extension's own pages turn to: they speak for the user, who alone can open them."""

    def waiting(self) -> list[Json]:
        """The questions that wait for a person, in brief."""
        ...

    async def answer(self, browser: str, name: str, params: Json) -> Json:
        """What a page of this browser's extension asks, or asks for. Raises PilotError to say why not."""
        ...

    def present(self, *, anyone: bool) -> None:
        """Whether any browser is connected, and so its user can be asked."""
        ...

    def stopped(self) -> None:
        """The user has stopped every agent: whatever waits for an answer has one."""
        ...


class NoDesk:
    """For a bridge without a hub around it."""

    def waiting(self) -> list[Json]:
        return []

    async def answer(self, browser: str, name: str, params: Json) -> Json:
        raise NoSession("There is nobody to answer this.")

    def present(self, *, anyone: bool) -> None:
        pass

    def stopped(self) -> None:
        pass
