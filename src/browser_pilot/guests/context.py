"""Who began a call to a guest: every host request that serves it carries this. Made by the host, never by the guest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..approvals.queue import Door


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
