"""Errors for an action that was not approved: the reason, and what the user can do about it."""

from __future__ import annotations

from browser_pilot.errors import ApprovalDenied, ApprovalTimeout

from .models import ApprovalDecision, ApprovalRequest, PendingApproval


def unseen_error(request: ApprovalRequest) -> ApprovalDenied:
    return ApprovalDenied(
        f"{request.what} on {request.site} needs a person's approval, and your user cannot see the request now: the "
        "side panel is closed, notifications are off, the extension's button is not pinned, and no shared tab is in "
        "front.",
        suggestions=[
            "Ask your user to open Browser Pilot's side panel or `browser-pilot dashboard`, then try again.",
            "Your user can turn on notifications in the extension's settings.",
        ],
        metadata={"rule": request.rule},
    )


def no_channel_error(request: ApprovalRequest) -> ApprovalDenied:
    command = f"browser-pilot policy allow {request.site}"
    if request.about == "action":
        command += " --without-asking"
    # Some actions need approval every time: no rule can allow them.
    rule = [f"Or the user can allow it in advance: `{command}`."] if request.always_rule is not None else []
    return ApprovalDenied(
        f"{request.what} on {request.site} needs a person's approval, and no approval channel is open: this client "
        "does not support elicitation, and no dashboard, side panel or `approvals --watch` is connected.",
        suggestions=[
            "Ask your user to run `browser-pilot dashboard` (or `browser-pilot approvals --watch`) to approve actions, "
            "then try again.",
            *rule,
        ],
        metadata={"rule": request.rule},
    )


def timeout_error(approval: PendingApproval) -> ApprovalTimeout:
    request = approval.request
    seconds = approval.expires_at - approval.requested_at
    return ApprovalTimeout(
        f"The approval timed out after {seconds:.0f} s: {request.what} on {request.site}.",
        suggestions=["Ask your user before you try again."],
        metadata={"rule": request.rule},
    )


def denied_error(request: ApprovalRequest, decision: ApprovalDecision) -> ApprovalDenied:
    blocked = " and blocked the site" if decision.choice == "block" else ""
    return ApprovalDenied(
        f"The user denied this{blocked}: {request.what} on {request.site}.",
        suggestions=["Do not try it another way; ask the user what to do instead."],
        metadata={"rule": request.rule},
    )


def hub_stopping_error() -> ApprovalDenied:
    return ApprovalDenied("The approval was withdrawn: the hub is stopping.", suggestions=["Try again in a moment."])
