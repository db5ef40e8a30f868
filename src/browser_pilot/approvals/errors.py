"""What an agent is told when a person did not say yes: why, and what its user can do about it."""

from __future__ import annotations

from ..errors import ApprovalDenied, ApprovalTimeout
from .questions import Answer, Matter, Question


def nobody_can_answer(matter: Matter) -> ApprovalDenied:
    beforehand = f"browser-pilot policy allow {matter.site}"
    if matter.about == "action":
        beforehand += " --without-asking"
    # What no rule can allow is asked about every time.
    rule = [f"Or allow it beforehand: `{beforehand}`."] if matter.always is not None else []
    return ApprovalDenied(
        f"{matter.what} on {matter.site} needs a person's approval, and nobody can be asked: this client cannot show "
        "questions, and nobody watches for them.",
        suggestions=[
            "Tell your user: run `browser-pilot dashboard` (or `browser-pilot approvals --watch`) to answer questions, "
            "then try again.",
            *rule,
        ],
        metadata={"rule": matter.rule},
    )


def expired(question: Question) -> ApprovalTimeout:
    matter = question.matter
    seconds = question.expires_at - question.asked_at
    return ApprovalTimeout(
        f"Nobody answered within {seconds:.0f} s whether the agent may do this: {matter.what} on {matter.site}.",
        suggestions=["Ask your user whether they want it before you try again."],
        metadata={"rule": matter.rule},
    )


def denied(matter: Matter, answer: Answer) -> ApprovalDenied:
    blocked = " and blocked the site" if answer.choice == "block" else ""
    return ApprovalDenied(
        f"The user said no{blocked}: {matter.what} on {matter.site}.",
        suggestions=["Do not try it another way; ask the user what they want instead."],
        metadata={"rule": matter.rule},
    )


def hub_ends() -> ApprovalDenied:
    return ApprovalDenied("Nobody can answer any more: the hub is ending.", suggestions=["Try again in a moment."])
