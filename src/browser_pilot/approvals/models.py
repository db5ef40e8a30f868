"""Approval requests, the choices that a person has, and the decision. Data only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from browser_pilot.audit_log.entries import RunStep
from browser_pilot.policy.rules import Rule
from browser_pilot.policy.types import Effect, Risk

Choice = Literal["once", "session", "always", "deny", "block"]
ApprovalSubject = Literal["site", "action"]

# What a person is shown is never cut. An action that takes more to describe is refused.
MAX_SHOWN_CHARACTERS = 100_000
ALLOWING_CHOICES: frozenset[Choice] = frozenset({"once", "session", "always"})
LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for this session",
    "always": "Always allow on this site",  # see ApprovalRequest.always_label
    "deny": "Deny",
    "block": "Deny and block this site",
}
# Scripts, local files and executable files are never included: each needs approval.
ALWAYS_ALLOWED: dict[Risk, str] = {
    "low": "low-risk actions",
    "medium": "actions of low and medium risk",
    "high": "all actions, also of high risk,",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What a person is asked to approve, and what the decision is bound to.

    ``run_step`` is set for a step of a run. ``values`` are redacted already. ``steps`` are the steps of a call that
    does several things. ``form`` is the content of the form that is submitted, and ``receiver`` where it goes.
    ``changes``: what differs from an earlier request of the same call, which was approved. ``binding`` is a digest
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
    run_step: RunStep | None = None
    element: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: tuple[str, ...] = ()
    receiver: str = ""
    receiver_is_other_site: bool = False
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    amount: str = ""
    changes: tuple[str, ...] = ()
    picture: bytes | None = field(default=None, repr=False)
    always_rule: Rule | None = None
    block_rule: Rule | None = None
    # The choices and their labels, for a caller that has its own and stores the decisions itself.
    labels: Mapping[Choice, str] | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """A site cannot be allowed once: opening a page and reading it are two actions. An action of high risk cannot
        be allowed for the session: the next one may pay another amount.
        """
        if self.labels is not None:
            return tuple(self.labels)
        return tuple(
            choice
            for choice in LABELS
            if not (choice == "once" and self.about == "site")
            and not (choice == "session" and self.about == "action" and self.risk == "high")
            and not (choice == "always" and self.always_rule is None)
            and not (choice == "block" and self.block_rule is None)
        )

    @property
    def shown_characters(self) -> int:
        """How much a person has to read."""
        pairs = (*self.values.items(), *self.form.items())
        return sum(map(len, (self.what, self.receiver, *(text for pair in pairs for text in pair), *self.steps)))

    def label(self, choice: Choice) -> str:
        if choice == "always" and self.labels is None:
            return self.always_label
        return (self.labels or LABELS)[choice]

    @property
    def always_label(self) -> str:
        """What "always" allows: ``persistent_rules`` in words."""
        if self.about == "site":
            return f"Always allow agents to use {self.site}"
        return f"Always allow {ALWAYS_ALLOWED[self.risk]} on {self.site}"

    @property
    def undo_always(self) -> str:
        """How a person takes an "always" back."""
        return f"browser-pilot policy forget {self.site}"


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
