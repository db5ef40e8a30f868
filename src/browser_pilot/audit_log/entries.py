"""The kinds of audit entries: an intent, its outcome, or a note. Pure data, no I/O.

An intent is written before an effect and its outcome after it, so that no effect is unrecorded. Everything is redacted
here, whether or not the caller redacted it before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, cast

from browser_pilot.json_types import Json
from browser_pilot.redaction.placeholders import placeholder
from browser_pilot.redaction.redactor import Redactor

OutcomeStatus = Literal["ok", "error", "refused", "cancelled", "unknown"]

# Rows are for reading; longer text is cut.
MAX_TEXT_CHARACTERS = 2_000
MAX_ARGUMENTS_CHARACTERS = 16_000


def _no_arguments() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True)
class RunStep:
    """Which step of which run (``browser_run``) a call is."""

    run: str
    number: int
    steps: int

    def __str__(self) -> str:
        return f"step {self.number} of {self.steps} of run {self.run}"


@dataclass(frozen=True)
class AuditIntent:
    """The action, the client, and why it was allowed or denied."""

    client: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=_no_arguments)
    effect: str = ""
    session: str | None = None
    tab: str | None = None
    url: str | None = None
    site: str | None = None
    decision: str = "allow"
    rule: str | None = None
    risk: str | None = None
    approval: str | None = None
    # What the approval was valid for, if it is an earlier one: "session".
    grant: str = ""
    # The target elements: role, name, field, frame, and the selector or ref that the caller gave.
    targets: tuple[Mapping[str, str], ...] = ()
    what: str = ""
    run: RunStep | None = None


@dataclass(frozen=True)
class AuditOutcome:
    """How it ended. ``error`` is the error's code, ``summary`` one line about the result."""

    status: OutcomeStatus
    duration_ms: float = 0
    summary: str = ""
    error: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class AuditNote:
    """An event that is not an action of an agent: a person changed a rule, the hub started, a log was restored."""

    text: str
    by: str = "hub"
    details: Mapping[str, object] = field(default_factory=_no_arguments)


R = TypeVar("R", AuditIntent, AuditNote)


def intent_body(intent: AuditIntent, redactor: Redactor) -> dict[str, Json]:
    return {
        "kind": "intent",
        "client": redactor.text(intent.client),
        "tool": intent.tool,
        **({"what": _cut(redactor.text(intent.what))} if intent.what else {}),
        "arguments": _arguments(intent.arguments, redactor),
        "effect": intent.effect,
        "session": intent.session,
        "tab": intent.tab,
        "url": _url(intent.url, redactor),
        "site": intent.site,
        "decision": intent.decision,
        "rule": intent.rule,
        "risk": intent.risk,
        "approval": intent.approval,
        **({"grant": intent.grant} if intent.grant else {}),
        **({"aims": [redactor.data(dict(target)) for target in intent.targets]} if intent.targets else {}),
        **({"run": intent.run.run, "step": intent.run.number, "steps": intent.run.steps} if intent.run else {}),
    }


def without_data(row: R) -> R:
    """The same row without its arguments or details, which are too deep."""
    hidden = {"hidden": placeholder("text")}
    return replace(row, arguments=hidden) if isinstance(row, AuditIntent) else replace(row, details=hidden)


def outcome_body(intent_seq: int, outcome: AuditOutcome, redactor: Redactor) -> dict[str, Json]:
    return {
        "kind": "outcome",
        "intent": intent_seq,
        "status": outcome.status,
        "duration_ms": round(outcome.duration_ms, 1),
        "summary": _cut(redactor.text(outcome.summary)),
        "error": outcome.error,
        "url": _url(outcome.url, redactor),
    }


def note_body(note: AuditNote, redactor: Redactor) -> dict[str, Json]:
    return {
        "kind": "note",
        "by": redactor.text(note.by),
        "text": _cut(redactor.text(note.text)),
        "details": _arguments(note.details, redactor),
    }


def _url(url: str | None, redactor: Redactor) -> str | None:
    return None if url is None else _cut(redactor.url(url))


def _arguments(arguments: Mapping[str, object], redactor: Redactor) -> Json:
    try:
        # ``allow_nan=False``: NaN is not valid JSON.
        plain = cast(Json, json.loads(json.dumps(dict(arguments), default=str, allow_nan=False)))
    except (ValueError, RecursionError):
        return placeholder("text")
    redacted = redactor.data(plain)
    for candidate in (redacted, _shorten(redacted)):
        if len(json.dumps(candidate)) <= MAX_ARGUMENTS_CHARACTERS:
            return candidate
    return placeholder("text")


def _shorten(value: Json) -> Json:
    if isinstance(value, str):
        return _cut(value, MAX_TEXT_CHARACTERS // 4)
    if isinstance(value, list):
        return [_shorten(item) for item in value[:20]]
    if isinstance(value, dict):
        return {name[:200]: _shorten(item) for name, item in list(value.items())[:40]}
    return value


def _cut(text: str, longest: int = MAX_TEXT_CHARACTERS) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
