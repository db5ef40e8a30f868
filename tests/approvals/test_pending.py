"""In any order of decisions, expiry and withdrawal, an approval ends exactly once, and before it expires."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from browser_pilot.approvals.models import LABELS, ApprovalDecision, Choice, PendingApproval
from browser_pilot.approvals.pending import MAX_REMEMBERED, ApprovalNotPending, PendingApprovals
from browser_pilot.errors import InvalidArgument

from .requests import approval_request

CHOICES: tuple[Choice, ...] = tuple(LABELS)


class PendingApprovalsMachine(RuleBasedStateMachine):
    """The model: for each id, when it expires, and how it ended if it did."""

    approval_ids = Bundle("approval_ids")

    def __init__(self) -> None:
        super().__init__()
        self.approvals = PendingApprovals()
        self.now = 1000.0
        self.count = 0
        self.expires: dict[str, float] = {}
        self.ended: dict[str, str] = {}

    @rule(target=approval_ids, seconds=st.integers(1, 100))
    def ask(self, seconds: int) -> str:
        self.count += 1
        approval_id = f"q{self.count}"
        approval = PendingApproval(
            id=approval_id, request=approval_request(), requested_at=self.now, expires_at=self.now + seconds
        )
        self.approvals.add(approval)
        self.expires[approval_id] = approval.expires_at
        return approval_id

    @rule(seconds=st.integers(0, 60))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(approval_id=approval_ids, choice=st.sampled_from(CHOICES))
    def decide(self, approval_id: str, choice: Choice) -> None:
        can = approval_id not in self.ended and self.now < self.expires[approval_id]
        if can:
            assert self.approvals.decide(approval_id, ApprovalDecision(choice, "test", self.now)).id == approval_id
            self.ended[approval_id] = "answered"
        else:
            with pytest.raises(ApprovalNotPending):
                self.approvals.decide(approval_id, ApprovalDecision(choice, "test", self.now))

    @rule(approval_id=approval_ids)
    def expire(self, approval_id: str) -> None:
        ended = self.approvals.expire(approval_id)
        assert (ended is None) == (approval_id in self.ended)
        self.ended.setdefault(approval_id, "expired")

    @rule(target=approval_ids, approval_id=consumes(approval_ids))
    def withdraw(self, approval_id: str):
        ended = self.approvals.withdraw(approval_id)
        assert (ended is None) == (approval_id in self.ended)
        self.ended.setdefault(approval_id, "withdrawn")
        return multiple(approval_id)

    @invariant()
    def the_pending_ones_are_those_that_have_not_ended(self) -> None:
        expected = [approval_id for approval_id in self.expires if approval_id not in self.ended]
        assert [approval.id for approval in self.approvals.pending] == expected
        assert all(approval_id in self.approvals for approval_id in expected)


TestPendingApprovals = PendingApprovalsMachine.TestCase


def test_the_error_for_a_late_decision_names_the_first_one() -> None:
    approvals = PendingApprovals()
    approvals.add(PendingApproval(id="q1", request=approval_request(), requested_at=0, expires_at=60))
    approvals.decide("q1", ApprovalDecision("deny", "side panel", 1))
    with pytest.raises(ApprovalNotPending, match=r"denied \(side panel\)"):
        approvals.decide("q1", ApprovalDecision("once", "command line", 2))
    with pytest.raises(ApprovalNotPending, match="There is no approval q2"):
        approvals.decide("q2", ApprovalDecision("once", "command line", 2))


def test_a_decision_at_the_time_of_expiry_is_too_late() -> None:
    approvals = PendingApprovals()
    approvals.add(PendingApproval(id="q1", request=approval_request(), requested_at=0, expires_at=60))
    with pytest.raises(ApprovalNotPending, match="expired"):
        approvals.decide("q1", ApprovalDecision("once", "command line", 60))


def test_a_choice_that_was_not_offered_is_rejected() -> None:
    approvals = PendingApprovals()
    approvals.add(PendingApproval(id="q1", request=approval_request(about="site"), requested_at=0, expires_at=60))
    with pytest.raises(InvalidArgument, match="'once'"):
        approvals.decide("q1", ApprovalDecision("once", "command line", 1))
    assert "q1" in approvals


def test_an_id_cannot_be_reused() -> None:
    approvals = PendingApprovals()
    approval = PendingApproval(id="q1", request=approval_request(), requested_at=0, expires_at=60)
    approvals.add(approval)
    approvals.withdraw("q1")
    with pytest.raises(ValueError, match="q1"):
        approvals.add(approval)


def test_only_the_last_ended_approvals_are_remembered() -> None:
    approvals = PendingApprovals()
    for number in range(MAX_REMEMBERED + 50):
        approvals.add(PendingApproval(id=f"q{number}", request=approval_request(), requested_at=0, expires_at=60))
        approvals.expire(f"q{number}")
    with pytest.raises(ApprovalNotPending, match="There is no approval q0"):
        approvals.check("q0", "once", 1)
    with pytest.raises(ApprovalNotPending, match="expired"):
        approvals.check(f"q{MAX_REMEMBERED + 49}", "once", 1)
