"""The context of a call to a guest: every host request that serves it carries it. Made by the host, not the guest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from browser_pilot.approvals.queue import ApprovalChannel
from browser_pilot.audit_log.entries import RunStep
from browser_pilot.guests.installed.manifest import GuestPermission
from browser_pilot.policy.hosts import Site

# Adds a note on a guest (its name) to the audit log, with details; raises when it cannot be written.
RecordGuestNote = Callable[[str, str, Mapping[str, object]], Awaitable[None]]


async def discard_note(_guest: str, _text: str, _details: Mapping[str, object]) -> None:
    """For self-tests, where nothing has an effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """``origin`` names the client of the call (``client:stdio-1``); ``caller`` is opaque, for the browser only.

    ``run`` is set where the call is a step of a run. ``denials`` are the sites and permissions that were denied during
    this call.
    """

    origin: str
    client: str
    client_name: str
    tool: str
    tab_id: int | None = None
    caller: object = None
    approval_channels: Sequence[ApprovalChannel] = field(default=())
    approval_timeout_seconds: float = 60.0
    read_only: bool = False
    run: RunStep | None = None
    denials: list[tuple[Site, tuple[GuestPermission, ...]]] = field(
        default_factory=list[tuple[Site, tuple[GuestPermission, ...]]]
    )
