"""Authorizes one action: the policy decision, and the approval of a person where it requires one.

The caller inspects what would happen (``ActionPreview``) and calls ``decide``. Where an approval is missing it calls
``request_approval``, inspects again and decides again: an approval is bound to exactly what was shown, so a page that
changed meanwhile leads to another approval request. Nothing here calls back into the caller.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from browser_pilot.audit_log.entries import RunStep
from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.errors import ApprovalDenied, BudgetExhausted
from browser_pilot.policy.budgets import Budgets, Reservation
from browser_pilot.policy.decide import PolicyDecision, PolicyRequest, decide
from browser_pilot.policy.hosts import BLANK
from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.policy.types import THRESHOLDS, VERDICTS

from .descriptions import plain_text
from .errors import denied_error
from .grants import SessionGrants
from .models import ApprovalDecision, ApprovalRequest, PendingApproval, digest
from .persistent_rules import allow_action, allow_site, block_site
from .queue import ApprovalChannel, ApprovalQueue

# A site and then an action are two; a page that changes under every request gets no more.
MAX_APPROVAL_REQUESTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who requests an action, and the channels on which a person can be asked about it.

    ``run_step`` is set where the action is a step of a run.
    """

    client: str
    client_name: str
    session: str
    tool: str
    timeout_seconds: float
    channels: Sequence[ApprovalChannel] = ()
    run_step: RunStep | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPreview:
    """What an action would do, as inspected just now.

    ``also`` are further elements of the same call: the strictest decision holds. ``stable_id`` identifies the element
    on every page of the site, ``fingerprint`` digests everything about it as it is now. ``values`` are the redacted
    inputs, while ``payload`` digests the real ones. ``steps`` and ``plan`` are for a call with several steps: one
    approval request covers them. ``form`` (redacted), ``receiver`` and ``amount`` describe what is submitted.
    """

    request: PolicyRequest
    also: tuple[PolicyRequest, ...] = ()
    what: str
    element: str = ""
    stable_id: str = ""
    fingerprint: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    payload: str = ""
    steps: tuple[str, ...] = ()
    plan: str = ""
    receiver: str = ""
    receiver_is_other_site: bool = False
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    amount: str = ""

    @property
    def binding(self) -> str:
        """A digest of everything that matters: where, which frame, which element, which form, which values."""
        requests = (self.request, *self.also)
        return digest(
            self.request.effect,
            self.request.url,
            [None if one.target is None else one.target.origin for one in requests],
            [None if one.frame is None else one.frame.origin for one in requests],
            self.stable_id,
            self.fingerprint,
            [None if one.element is None else (one.element.form_action, one.element.form_method) for one in requests],
            self.payload,
            dict(self.values),
            self.steps,
            self.plan,
            self.receiver,
            dict(self.form),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorization:
    """The action may happen, as inspected, now. ``reservation`` is for refunding what is then not attempted.

    ``granted``: the approval is an earlier one, valid for the session.
    """

    preview: ActionPreview
    decision: PolicyDecision
    reservation: Reservation
    approval_id: str | None = None
    approval_decision: ApprovalDecision | None = None
    granted: bool = False

    @property
    def approved(self) -> bool:
        """Whether a person approved it."""
        return self.approval_id is not None

    @property
    def single_use(self) -> str | None:
        """The id of an approval for this action alone; other approvals hold for several calls."""
        return (
            self.approval_id if self.approval_decision is not None and self.approval_decision.choice == "once" else None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What a person approved last for the call that is being authorized; ``binding`` is what it is bound to."""

    binding: str = ""
    approval_id: str | None = None
    decision: ApprovalDecision | None = None


NO_APPROVAL = Approval()


class Authorizer:
    def __init__(
        self,
        *,
        queue: ApprovalQueue,
        grants: SessionGrants,
        config: CurrentConfig,
        budgets: Budgets,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._queue = queue
        self._grants = grants
        self._config = config
        self._budgets = budgets
        self._clock = clock

    def decide(
        self, requester: Requester, preview: ActionPreview, approval: Approval = NO_APPROVAL
    ) -> Authorization | ApprovalRequest:
        """The authorization, or the approval request that must be decided first. Raises the error of a denial.

        Synchronous, so that no budget can be exceeded between the decision and the reservation.
        """
        rules = self._grants.rules_for(requester.session, self._config.rules)
        decision = self._decide(preview, rules)
        if decision.verdict == "deny":
            raise decision.error()
        granted = False
        if decision.verdict == "ask":
            request = _approval_request(requester, preview, decision, rules)
            if request.binding != approval.binding:
                earlier = self._grants.approval_for(request)
                if earlier is None:
                    return request
                approval, granted = Approval(approval_id=earlier), True
        reservation = self._budgets.reserve(decision.charges, self._clock())
        if not isinstance(reservation, Reservation):
            raise BudgetExhausted("The step budget is used up.", suggestions=["Ask the user to raise it."])
        return Authorization(
            preview=preview,
            decision=decision,
            reservation=reservation,
            approval_id=approval.approval_id,
            approval_decision=approval.decision,
            granted=granted,
        )

    async def request_approval(self, requester: Requester, request: ApprovalRequest) -> Approval:
        """Request a person's decision and store what it is valid for. Raises the error of a denial or timeout."""
        approval_id, decision = await self._queue.request_decision(
            request, timeout_seconds=requester.timeout_seconds, channels=requester.channels
        )
        binding = self._apply(request, decision, approval_id)
        return Approval(binding=binding, approval_id=approval_id, decision=decision)

    def evaluate(self, requester: Requester, request: PolicyRequest) -> PolicyDecision:
        """The policy decision without an approval request and without charging a budget."""
        return decide(
            request, self._grants.rules_for(requester.session, self._config.rules), self._budgets, self._clock()
        )

    def _decide(self, preview: ActionPreview, rules: Ruleset) -> PolicyDecision:
        """The strictest decision about any of its elements. It counts as one step."""
        now = self._clock()
        decisions = [decide(request, rules, self._budgets, now) for request in (preview.request, *preview.also)]
        strictest = max(decisions, key=lambda one: (VERDICTS.index(one.verdict), THRESHOLDS.index(one.risk)))
        return replace(strictest, charges=tuple(dict.fromkeys(charge for one in decisions for charge in one.charges)))

    def _apply(self, request: ApprovalRequest, decision: ApprovalDecision, approval_id: str) -> str:
        """Store a decision that is valid beyond this call. Returns the binding that it approves, for an action."""
        if request.about == "site":
            rule = request.always_rule if decision.allows else request.block_rule
            if decision.choice in ("session", "deny") and rule is not None:
                session_rule = replace(rule, source="your answer in this session")
                self._grants.add_site_rule(request.session, session_rule, self._config.rules)
        elif decision.choice == "session":
            self._grants.grant_action(request, approval_id)
        if not decision.allows:
            raise denied_error(request, decision)
        return request.binding if request.about == "action" else ""


def _approval_request(
    requester: Requester, preview: ActionPreview, decision: PolicyDecision, rules: Ruleset
) -> ApprovalRequest:
    request = preview.request
    site = decision.site or request.target or BLANK
    about = decision.about or "action"
    always_rule = allow_site(rules.coverage(site)) if about == "site" else allow_action(decision, request.effect)
    return ApprovalRequest(
        client=requester.client,
        client_name=plain_text(requester.client_name),
        session=requester.session,
        tool=requester.tool,
        run_step=requester.run_step,
        effect=request.effect,
        what=f"Use {site}" if about == "site" else plain_text(preview.what),
        site=str(site),
        about=about,
        risk=decision.risk,
        reason=plain_text(decision.reason),
        rule=decision.rule,
        binding=preview.binding,
        scope=preview.plan or preview.stable_id,
        element=plain_text(preview.element),
        values={plain_text(name): plain_text(value) for name, value in preview.values.items()},
        steps=tuple(plain_text(step) for step in preview.steps),
        receiver=plain_text(preview.receiver) if about == "action" else "",
        receiver_is_other_site=preview.receiver_is_other_site and about == "action",
        form={plain_text(name): plain_text(value) for name, value in preview.form.items()} if about == "action" else {},
        amount=plain_text(preview.amount) if about == "action" else "",
        always_rule=always_rule,
        block_rule=block_site(site),
    )


def page_keeps_changing_error() -> ApprovalDenied:
    """The error for a page that changes after every approval."""
    return ApprovalDenied(
        "What would happen changed after every approval, so nothing was done.",
        suggestions=["Wait until the page is idle, take a browser_snapshot, and try again."],
    )


def rule_from_decision(approval: PendingApproval, decision: ApprovalDecision) -> Rule | None:
    """The rule that an "always" or "block" decision writes."""
    if decision.choice == "always":
        return approval.request.always_rule
    return approval.request.block_rule if decision.choice == "block" else None
