"""From what is about to happen to a permission, or an error: decide, ask where a person must, look again, decide again.

The caller hands over ``look``, which says what would happen as things stand now. It is called before every decision, so
also after an answer: a "yes" holds only for what it was given for, and if the page has changed meanwhile the person is
asked about what it would be now.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import ApprovalDenied
from ..policy.budgets import Budgets, Reservation
from ..policy.decide import Decision, Request, decide
from ..policy.hosts import BLANK
from ..policy.rules import Rule, Ruleset
from ..policy.vocabulary import THRESHOLDS, VERDICTS
from .grants import SessionGrants
from .lasting import allow_action, allow_site, block_site
from .questions import Answer, Matter, Question, digest
from .queue import ApprovalQueue, Door
from .refusals import denied
from .words import plain

# A site and then an action are two; a page that changes under every question is not worth more.
MOST_QUESTIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who wants something, and how a person can be reached about it."""

    client: str
    client_name: str
    session: str
    tool: str
    timeout_seconds: float
    doors: Sequence[Door] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What would happen, as seen just now.

    ``also`` are further elements of the same call: the strictest decision holds. ``fingerprint`` tells the element from
    others on every page of the site, ``seal`` is everything about it as it is now. ``values`` are what would be put in,
    redacted, while ``payload`` digests the real ones. ``steps`` and ``plan`` are for a call that does several things at
    once: one question covers them. ``picture`` takes one of the element, which costs time, when someone is asked.
    """

    request: Request
    also: tuple[Request, ...] = ()
    what: str
    element: str = ""
    fingerprint: str = ""
    seal: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    payload: str = ""
    steps: tuple[str, ...] = ()
    plan: str = ""
    picture: Callable[[], Awaitable[bytes | None]] | None = field(default=None, repr=False)

    @property
    def binding(self) -> str:
        """A digest of everything that matters: where, which frame, which element, which form, which values."""
        requests = (self.request, *self.also)
        return digest(
            self.request.effect,
            self.request.url,
            None if self.request.target is None else self.request.target.origin,
            [None if one.frame is None else one.frame.origin for one in requests],
            self.fingerprint,
            self.seal,
            [None if one.element is None else (one.element.form_action, one.element.form_method) for one in requests],
            self.payload,
            dict(self.values),
            self.steps,
            self.plan,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """It may happen, as seen, and now. ``reservation`` is for refunding what is then not tried."""

    sight: Sight
    decision: Decision
    reservation: Reservation
    question_id: str | None = None
    answer: Answer | None = None


class Clearance:
    def __init__(
        self,
        *,
        queue: ApprovalQueue,
        grants: SessionGrants,
        rules: Callable[[], Ruleset],
        budgets: Budgets,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._queue = queue
        self._grants = grants
        self._rules = rules
        self._budgets = budgets
        self._clock = clock

    async def obtain(self, asker: Asker, look: Callable[[], Awaitable[Sight]]) -> Cleared:
        """Permission for what ``look`` shows. Raises what the policy or the person says against it."""
        approved = ""
        question_id: str | None = None
        answer: Answer | None = None
        for _ in range(MOST_QUESTIONS + 1):
            sight = await look()
            rules = self._grants.rules_for(asker.session, self._rules())
            decision = self._decide(sight, rules)
            if decision.verdict == "deny":
                raise decision.error()
            if decision.verdict == "ask":
                matter = _matter(asker, sight, decision, rules)
                if matter.binding != approved and not self._is_covered(matter):
                    if sight.picture is not None:
                        matter = replace(matter, picture=await sight.picture())
                    question_id, answer = await self._queue.ask(
                        matter, timeout_seconds=asker.timeout_seconds, doors=asker.doors
                    )
                    approved = self._settle(matter, answer)
                    continue
            # Nothing is awaited between the decision and this, so that no budget is overshot.
            reservation = self._budgets.reserve(decision.charges, self._clock())
            if isinstance(reservation, Reservation):
                return Cleared(
                    sight=sight,
                    decision=decision,
                    reservation=reservation,
                    question_id=question_id,
                    answer=answer,
                )
        raise ApprovalDenied(
            "What would happen changed every time after the user was asked, so that nothing was done.",
            suggestions=["Wait until the page is at rest, take a browser_snapshot, and try again."],
        )

    def weigh(self, asker: Asker, request: Request) -> Decision:
        """What would be decided about this, as far as it is known; nothing is asked or counted."""
        return decide(request, self._grants.rules_for(asker.session, self._rules()), self._budgets, self._clock())

    def _decide(self, sight: Sight, rules: Ruleset) -> Decision:
        """The strictest decision about any part of it. It counts as one step."""
        now = self._clock()
        decisions = [decide(request, rules, self._budgets, now) for request in (sight.request, *sight.also)]
        strictest = max(decisions, key=lambda one: (VERDICTS.index(one.verdict), THRESHOLDS.index(one.risk)))
        return replace(strictest, charges=tuple(dict.fromkeys(charge for one in decisions for charge in one.charges)))

    def _is_covered(self, matter: Matter) -> bool:
        return matter.about == "action" and self._grants.covers(matter)

    def _settle(self, matter: Matter, answer: Answer) -> str:
        """Keep what the answer is good for; the binding that it approves, if it approves a single action."""
        if matter.about == "site":
            rule = matter.always if answer.allows else matter.block
            if answer.choice in ("session", "deny") and rule is not None:
                kept = replace(rule, source="your answer in this session")
                self._grants.keep_rule(matter.session, kept, self._rules())
        elif answer.choice == "session":
            self._grants.keep_action(matter)
        if not answer.allows:
            raise denied(matter, answer)
        return matter.binding if matter.about == "action" else ""


def _matter(asker: Asker, sight: Sight, decision: Decision, rules: Ruleset) -> Matter:
    request = sight.request
    site = decision.site or request.target or BLANK
    about = decision.about or "action"
    lasting = allow_site(rules.coverage(site)) if about == "site" else allow_action(decision, request.effect)
    return Matter(
        client=asker.client,
        client_name=plain(asker.client_name),
        session=asker.session,
        tool=asker.tool,
        effect=request.effect,
        what=f"Use {site}" if about == "site" else plain(sight.what),
        site=str(site),
        about=about,
        risk=decision.risk,
        reason=plain(decision.reason),
        rule=decision.rule,
        binding=sight.binding,
        scope=sight.plan or sight.fingerprint,
        element=plain(sight.element),
        values={plain(name): plain(value) for name, value in sight.values.items()},
        steps=tuple(plain(step) for step in sight.steps),
        always=lasting,
        block=block_site(site),
    )


def rule_made_by(question: Question, answer: Answer) -> Rule | None:
    """The rule that has to be written for this answer, if it is a lasting one."""
    if answer.choice == "always":
        return question.matter.always
    return question.matter.block if answer.choice == "block" else None
