"""Who began a call to a guest: every host request that serves it carries this. Made by the host, never by the guest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..approvals.queue import Door

# Writes down what a guest (its name) did, with details; raises when it cannot be written, and then it is not done.
Record = Callable[[str, str, Mapping[str, object]], Awaitable[None]]


async def no_record(_guest: str, _text: str, _details: Mapping[str, object]) -> None:
    """For trials, where nothing is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """``origin`` says where the call came from (``client:stdio-1``); ``caller`` is for the browser that is used."""

    origin: str
    client: str
    client_name: str
    tool: str
    tab_id: int | None = None
    caller: object = None
    doors: Sequence[Door] = field(default=())
    approval_seconds: float = 60.0
    read_only: bool = False
