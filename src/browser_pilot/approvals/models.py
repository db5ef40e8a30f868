"""Approval requests, the choices that a person has, and the decision. Data only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from browser_pilot.policy.rules import Rule
from browser_pilot.policy.types import Effect, Risk

Choice = Literal["once", "session", "always", "deny", "block"]
ApprovalSubject = Literal["site", "action"]

ALLOWING_CHOICES: frozenset[Choice] = frozenset({"once", "session", "always"})
LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for this session",
    "always": "Always allow on this site",
    "deny": "Deny",
    "block": "Deny and block this site",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What a person is asked to approve, and what the decision is bound to.

    ``values`` are redacted already. ``steps`` are the steps of a call that does several things. ``binding`` is a digest
    of everything that was shown: an approval is valid for exactly that. ``scope`` limits "for this session" further
    than effect and site: to the element, or to the plan. ``always_rule`` and ``block_rule`` are the rules that these
    choices write; None where no rule can be written.
    """

    client: str
    client_name: str
    session: str
    tool: str
    effect: Effect
    what: str
    site: str
    about: ApprovalSubject
    risk: Risk
    reason: str
    rule: str
    binding: str
    scope: str
    element: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: tuple[str, ...] = ()
    picture: bytes | None = field(default=None, repr=False)
    always_rule: Rule | None = None
    block_rule: Rule | None = None
    # The choices and their labels, for a caller that has its own and stores the decisions itself.
    labels: Mapping[Choice, str] | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """A site cannot be allowed once: opening a page and reading it are two actions."""
        if self.labels is not None:
            return tuple(self.labels)
        return tuple(
            choice
            for choice in LABELS
            if not (choice == "once" and self.about == "site")
            and not (choice == "always" and self.always_rule is None)
            and not (choice == "block" and self.block_rule is None)
        )

    def label(self, choice: Choice) -> str:
        return (self.labels or LABELS)[choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingApproval:
    """An approval request that waits for a decision. Times are seconds since the epoch."""

    id: str
    request: ApprovalRequest
    requested_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    choice: Choice
    channel: str
    at: float

    @property
    def allows(self) -> bool:
        return self.choice in ALLOWING_CHOICES


@dataclass(frozen=True, slots=True)
class ApprovalEvent:
    """A change of a pending approval, sent to every subscriber."""

    kind: Literal["asked", "answered", "expired", "withdrawn"]
    approval: PendingApproval
    decision: ApprovalDecision | None = None


def digest(*parts: object) -> str:
    """A digest over all parts; any difference gives another one."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
