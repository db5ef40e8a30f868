"""What differs between two approval requests of one call, for the person who has to decide again. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .models import ApprovalRequest

NOT_SHOWN = "something on the page that is not shown here"


def changes_since(approved: ApprovalRequest, request: ApprovalRequest) -> tuple[str, ...]:
    """Such as "receiver: good.example → evil.example". Never empty: there is a reason to ask again."""
    return tuple(_changes(approved, request)) or (NOT_SHOWN,)


def _changes(before: ApprovalRequest, after: ApprovalRequest) -> Iterator[str]:
    plain = (
        ("site", before.site, after.site),
        ("action", before.what, after.what),
        ("receiver", before.receiver, after.receiver),
        ("amount", before.amount, after.amount),
    )
    for name, old, new in plain:
        if old != new:
            yield _change(name, old, new)
    yield from _differences(before.values, after.values)
    yield from _differences(before.form, after.form)
    if before.steps != after.steps:
        yield _change("steps", "; ".join(before.steps), "; ".join(after.steps))


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield _change(name, before.get(name, ""), after.get(name, ""))


def _change(name: str, old: str, new: str) -> str:
    return f"{name}: {old or '(nothing)'} → {new or '(nothing)'}"
