"""The pending approvals, and how the last ones ended. Pure: the caller passes the time.

An approval ends once: by the first decision before it expires, by expiry, or by withdrawal. How the last ones ended is
remembered, so that a late decision gets an error that says why.
"""

from __future__ import annotations

from browser_pilot.errors import InvalidArgument, PilotError

from .models import ApprovalDecision, Choice, PendingApproval

MAX_REMEMBERED = 200


class ApprovalNotPending(PilotError):
    """No approval with this id is pending. Raised to people who decide too late; agents never get it."""

    code = "NOT_OPEN"


class PendingApprovals:
    def __init__(self) -> None:
        self._pending: dict[str, PendingApproval] = {}
        self._ended: dict[str, str] = {}

    @property
    def pending(self) -> tuple[PendingApproval, ...]:
        """In the order of their requests."""
        return tuple(self._pending.values())

    def __contains__(self, approval_id: object) -> bool:
        return approval_id in self._pending

    def add(self, approval: PendingApproval) -> None:
        if approval.id in self._pending or approval.id in self._ended:
            raise ValueError(f"the id {approval.id} is not unique")
        self._pending[approval.id] = approval

    def check(self, approval_id: str, choice: Choice, now: float) -> PendingApproval:
        """Return the pending approval if this choice is valid now.

        Raises ``ApprovalNotPending`` or ``InvalidArgument``.
        """
        approval = self._pending.get(approval_id)
        if approval is None or now >= approval.expires_at:
            ended = "it has expired" if approval is not None else self._ended.get(approval_id)
            raise ApprovalNotPending(
                f"The approval {approval_id} is no longer pending: {ended}."
                if ended
                else f"There is no approval {approval_id}.",
                suggestions=["`browser-pilot approvals` lists the pending ones."],
            )
        if choice not in approval.request.choices:
            raise InvalidArgument(
                f"{choice!r} is not a choice for this approval.",
                suggestions=[f"Choices: {', '.join(approval.request.choices)}."],
            )
        return approval

    def decide(self, approval_id: str, decision: ApprovalDecision) -> PendingApproval:
        approval = self.check(approval_id, decision.choice, decision.at)
        result = "allowed" if decision.allows else "denied"
        self._end(approval, f"it was {result} ({decision.channel})")
        return approval

    def expire(self, approval_id: str) -> PendingApproval | None:
        return self._end_if_pending(approval_id, "it has expired")

    def withdraw(self, approval_id: str) -> PendingApproval | None:
        return self._end_if_pending(approval_id, "the agent withdrew it")

    def _end_if_pending(self, approval_id: str, how: str) -> PendingApproval | None:
        approval = self._pending.get(approval_id)
        if approval is not None:
            self._end(approval, how)
        return approval

    def _end(self, approval: PendingApproval, how: str) -> None:
        del self._pending[approval.id]
        self._ended[approval.id] = how
        while len(self._ended) > MAX_REMEMBERED:
            del self._ended[next(iter(self._ended))]
