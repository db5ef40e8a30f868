"""Pending approval requests for the user interfaces: their JSON form, their screenshots, and the user's decision.

Shared by the side panel, the dashboard and the HTTP API. Callers have authenticated the user.
"""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import get_args

from browser_pilot.approvals.models import Choice, PendingApproval
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import InvalidArgument
from browser_pilot.json_types import JsonObject

CHOICES: tuple[Choice, ...] = get_args(Choice)


class ApprovalRequests:
    def __init__(self, queue: ApprovalQueue) -> None:
        self._queue = queue

    def pending(self) -> list[JsonObject]:
        return [approval_data(approval) for approval in self._queue.pending]

    def pending_in_brief(self) -> list[JsonObject]:
        """What the extension's badge and notifications show."""
        return [_in_brief(data) for data in self.pending()]

    def decide(self, params: JsonObject, *, channel: str) -> JsonObject:
        choice = params.get("choice")
        if choice not in CHOICES:
            raise InvalidArgument("Unknown choice.", suggestions=[f"Choices: {', '.join(CHOICES)}."])
        decision = self._queue.decide(str(params.get("id", "")), choice, channel=channel)
        return {"choice": decision.choice}

    def screenshot(self, params: JsonObject) -> JsonObject:
        png = self.png(str(params.get("id", "")))
        return {"png": None if png is None else base64.b64encode(png).decode()}

    def png(self, request_id: str) -> bytes | None:
        """The screenshot of a pending request, if it has one."""
        return next((one.request.picture for one in self._queue.pending if one.id == request_id), None)


def approval_data(approval: PendingApproval) -> JsonObject:
    request = approval.request
    return {
        "id": approval.id,
        "client": request.client,
        "client_name": request.client_name,
        "session": request.session,
        "tool": request.tool,
        "run_step": None if request.run_step is None else asdict(request.run_step),
        "what": request.what,
        "site": request.site,
        "element": request.element,
        "values": dict(request.values),
        "steps": list(request.steps),
        "receiver": request.receiver,
        "receiver_is_other_site": request.receiver_is_other_site,
        "form": dict(request.form),
        "amount": request.amount,
        "changes": list(request.changes),
        "about": request.about,
        "risk": request.risk,
        "reason": request.reason,
        "rule": request.rule,
        "choices": list(request.choices),
        "labels": dict(request.labels or {}),
        "always_label": request.label("always") if "always" in request.choices else "",
        "undo_always": request.undo_always if "always" in request.choices and request.labels is None else "",
        "picture": f"/api/approvals/{approval.id}/picture" if request.picture is not None else None,
        "asked_at": approval.requested_at,
        "expires_at": approval.expires_at,
    }


def _in_brief(data: JsonObject) -> JsonObject:
    """In this form ``client`` is the name: extensions of earlier versions show it."""
    return {**{name: data[name] for name in ("id", "what", "site", "risk")}, "client": data["client_name"]}
