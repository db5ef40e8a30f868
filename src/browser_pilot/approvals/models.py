"""What a person is asked, and what they can answer. Data only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..policy.rules import Rule
from ..policy.vocabulary import Effect, Risk

Choice = Literal["once", "session", "always", "deny", "block"]
About = Literal["site", "action"]

ALLOWS: frozenset[Choice] = frozenset({"once", "session", "always"})
# These write a rule, which needs a site to be for.
LASTING: frozenset[Choice] = frozenset({"always", "block"})
LABELS: dict[Choice, str] = {
    "once": "Allow once",
    "session": "Allow for this session",
    "always": "Always allow on this site",
    "deny": "Deny",
    "block": "Deny and block this site",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What is asked about, in words for a person, and what an answer binds to.

    ``values`` are redacted already. ``steps`` are the parts of an announced plan. ``binding`` digests everything that
    was shown: a "yes" is good for exactly that. ``scope`` says what a "for this session" covers besides the same effect
    on the same site: the element's fingerprint, or the plan's. ``always`` and ``block`` are the rules that these two
    answers write; None where no rule can be written.
    """

    client: str
    client_name: str
    session: str
    tool: str
    effect: Effect
    what: str
    site: str
    about: About
    risk: Risk
    reason: str
    rule: str
    binding: str
    scope: str
    element: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: tuple[str, ...] = ()
    picture: bytes | None = field(default=None, repr=False)
    always: Rule | None = None
    block: Rule | None = None
    # The answers and their words, where whoever asks has its own and keeps them itself.
    labels: Mapping[Choice, str] | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """A site cannot be used once: whoever opens a page also looks at it."""
        if self.labels is not None:
            return tuple(self.labels)
        return tuple(
            choice
            for choice in LABELS
            if not (choice == "once" and self.about == "site")
            and not (choice == "always" and self.always is None)
            and not (choice == "block" and self.block is None)
        )

    def label(self, choice: Choice) -> str:
        return (self.labels or LABELS)[choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A matter that waits for an answer. Times are seconds since the epoch."""

    id: str
    matter: Matter
    asked_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class Answer:
    choice: Choice
    door: str
    at: float

    @property
    def allows(self) -> bool:
        return self.choice in ALLOWS


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a question: every door is told."""

    kind: Literal["asked", "answered", "expired", "withdrawn"]
    question: Question
    answer: Answer | None = None


def digest(*parts: object) -> str:
    """One short text for all of these; anything that differs makes another one."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
