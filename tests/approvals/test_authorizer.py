"""Authorization of one action: what an approval is valid for, and what it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.approvals.authorizer import (
    MAX_APPROVAL_REQUESTS,
    NO_APPROVAL,
    ActionPreview,
    Authorization,
    Authorizer,
    Requester,
    page_keeps_changing_error,
    rule_from_decision,
)
from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.approvals.models import ApprovalDecision, ApprovalRequest, Choice, PendingApproval
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import ApprovalDenied, BudgetExhausted, DomainDenied, PilotError, ReadOnly
from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import PolicyRequest
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import Pattern, parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts
from tests.config.fixed_config import FixedConfig

SHOP = Site("https", "shop.example", 443)
BANK = Site("https", "bank.example", 443)
PAY = ElementFacts(role="button", name="Pay now", submits=True, form_action="https://shop.example/pay")
SEND = ElementFacts(role="button", name="Send message")
ASK_ALL = Ruleset([Rule(pattern=parse_pattern("*"), write="ask")])
ASK_SITES = Ruleset((), Defaults(uncovered="ask"))


def preview(
    *, site: Site = SHOP, element: ElementFacts = PAY, stable_id: str = "pay", payload: str = ""
) -> ActionPreview:
    request = PolicyRequest(effect="write", target=site, element=element, client="c1")
    return ActionPreview(request=request, what=f"Click “{element.name}”", stable_id=stable_id, payload=payload)


class Person:
    """Subscribes to the queue and decides each request with the next choice."""

    def __init__(self, queue: ApprovalQueue, choices: list[Choice]) -> None:
        self.asked: list[ApprovalRequest] = []
        self._queue = queue
        self._choices = choices
        self.on_request: Callable[[], None] = lambda: None

    async def decide_requests(self) -> None:
        with self._queue.subscribe() as watcher:
            while (event := await watcher.next()) is not None:
                if event.kind == "asked":
                    self.asked.append(event.approval.request)
                    self.on_request()
                    self._queue.decide(event.approval.id, self._choices.pop(0), channel="person")


class Setup:
    def __init__(self, rules: Ruleset, *choices: Choice) -> None:
        self.config = FixedConfig(rules=rules)
        self.budgets = Budgets()
        self.queue = ApprovalQueue(persist=self._persist)
        self.grants = SessionGrants()
        self.authorizer = Authorizer(
            queue=self.queue, grants=self.grants, config=self.config, budgets=self.budgets, clock=lambda: 1000.0
        )
        self.person = Person(self.queue, list(choices))
        self.preview = preview()

    def _persist(self, approval: PendingApproval, decision: ApprovalDecision) -> None:
        rule = rule_from_decision(approval, decision)
        if rule is not None:
            self.config.rules = self.config.rules.with_rules([rule])

    async def inspect(self) -> ActionPreview:
        return self.preview

    async def authorize(
        self,
        inspect: Callable[[], Awaitable[ActionPreview]] | None = None,
        *,
        session: str = "s1",
        has_person: bool = True,
    ) -> Authorization:
        requester = Requester(
            client="c1", client_name="Agent", session=session, tool="browser_click", timeout_seconds=5
        )
        deciding = asyncio.create_task(self.person.decide_requests()) if has_person else None
        await asyncio.sleep(0)
        try:
            return await self._authorize(requester, inspect or self.inspect)
        finally:
            if deciding is not None:
                deciding.cancel()
                await asyncio.wait({deciding})

    async def _authorize(self, requester: Requester, inspect: Callable[[], Awaitable[ActionPreview]]) -> Authorization:
        """As the pipeline does: inspect and decide, request approval, inspect and decide again."""
        approval = NO_APPROVAL
        for _ in range(MAX_APPROVAL_REQUESTS + 1):
            decided = self.authorizer.decide(requester, await inspect(), approval)
            if isinstance(decided, Authorization):
                return decided
            approval = await self.authorizer.request_approval(requester, decided)
        raise page_keeps_changing_error()


async def test_an_allowed_action_requests_no_approval() -> None:
    setup = Setup(Ruleset())
    setup.preview = preview(element=SEND)
    authorization = await setup.authorize()
    assert authorization.approval_decision is None
    assert setup.person.asked == []


async def test_a_denied_action_requests_no_approval() -> None:
    setup = Setup(Ruleset([Rule(pattern=Pattern("shop.example"), write="deny")]))
    with pytest.raises(DomainDenied):
        await setup.authorize()
    assert setup.person.asked == []


async def test_once_is_valid_for_one_call() -> None:
    setup = Setup(ASK_ALL, "once", "deny")
    authorization = await setup.authorize()
    assert authorization.approval_decision is not None
    assert authorization.approval_decision.channel == "person"
    assert authorization.preview is setup.preview
    with pytest.raises(ApprovalDenied, match="The user denied this"):
        await setup.authorize()
    assert len(setup.person.asked) == 2


@pytest.mark.parametrize(
    "changed",
    [
        preview(site=BANK),
        preview(stable_id="another element"),
        preview(payload="another value"),
        preview(element=replace(PAY, form_action="https://evil.example/")),
        preview(element=replace(PAY, form_method="get")),
        replace(preview(), request=replace(preview().request, frame=BANK)),
        replace(preview(), request=replace(preview().request, url="https://shop.example/other")),
        replace(preview(), values={"amount": "1,000,000"}),
        replace(preview(), steps=("one", "two")),
    ],
)
async def test_a_page_that_changes_during_the_approval_needs_a_new_one(changed: ActionPreview) -> None:
    setup = Setup(ASK_ALL, "once", "deny")
    setup.person.on_request = lambda: setattr(setup, "preview", changed)
    with pytest.raises(ApprovalDenied, match="denied this"):
        await setup.authorize()
    first, second = setup.person.asked
    assert first.binding != second.binding
    assert second.site == str(changed.request.target)


async def test_a_page_that_changes_back_is_not_covered_by_an_earlier_approval() -> None:
    """A is approved, then B, then the page shows A again: only the last approval counts."""
    setup = Setup(ASK_ALL, "once", "once", "deny")
    pages = iter([preview(payload="A"), preview(payload="B"), preview(payload="A")])

    async def inspect() -> ActionPreview:
        return next(pages)

    with pytest.raises(ApprovalDenied, match="denied this"):
        await setup.authorize(inspect)
    assert len(setup.person.asked) == 3


async def test_a_page_that_changes_every_time_is_denied() -> None:
    choices: list[Choice] = ["once"] * (MAX_APPROVAL_REQUESTS + 1)
    setup = Setup(ASK_ALL, *choices)
    count = 0

    async def inspect() -> ActionPreview:
        nonlocal count
        count += 1
        return preview(payload=str(count))

    with pytest.raises(ApprovalDenied, match="changed after every approval"):
        await setup.authorize(inspect)


async def test_for_this_session_covers_the_same_element_of_the_same_site_with_any_value() -> None:
    setup = Setup(ASK_ALL, "session", "deny", "deny", "deny")
    setup.preview = preview(element=SEND)
    first = await setup.authorize()
    assert (first.granted, first.approved) == (False, True)
    setup.preview = preview(element=SEND, payload="another value")
    second = await setup.authorize()
    assert (second.granted, second.approval_id, second.single_use) == (True, first.approval_id, None)
    assert len(setup.person.asked) == 1
    for other in (preview(element=SEND, stable_id="another element"), preview(element=SEND, site=BANK)):
        setup.preview = other
        with pytest.raises(ApprovalDenied):
            await setup.authorize()
    setup.preview = preview(element=SEND)
    with pytest.raises(ApprovalDenied):
        await setup.authorize(session="s2")
    assert len(setup.person.asked) == 4


async def test_an_action_of_high_risk_cannot_be_allowed_for_the_session() -> None:
    setup = Setup(ASK_ALL, "session", "once")
    setup.preview = preview(element=SEND)
    await setup.authorize()
    # The same element, now of high risk: it needs approval, and not for the session.
    setup.preview = preview(element=PAY)
    await setup.authorize()
    low, high = setup.person.asked
    assert "session" in low.choices
    assert high.choices == ("once", "always", "deny", "block")


async def test_for_this_session_ends_with_the_session() -> None:
    setup = Setup(ASK_ALL, "session", "deny")
    setup.preview = preview(element=SEND)
    await setup.authorize()
    setup.grants.forget("s1")
    with pytest.raises(ApprovalDenied):
        await setup.authorize()


async def test_an_element_without_a_stable_id_needs_approval_every_time() -> None:
    setup = Setup(ASK_ALL, "session", "deny")
    setup.preview = preview(element=SEND, stable_id="")
    await setup.authorize()
    with pytest.raises(ApprovalDenied):
        await setup.authorize()


async def test_one_decision_covers_all_steps_of_a_plan() -> None:
    setup = Setup(ASK_ALL, "session")
    setup.preview = replace(preview(element=SEND, stable_id=""), steps=("Email: a", "Name: b"), plan="form-1")
    await setup.authorize()
    await setup.authorize()
    (request,) = setup.person.asked
    assert request.steps == ("Email: a", "Name: b")


async def test_always_writes_a_rule_for_this_site_and_this_risk() -> None:
    setup = Setup(ASK_ALL, "always", "deny", "deny")
    setup.preview = preview(element=SEND)
    await setup.authorize()
    await setup.authorize()
    assert len(setup.person.asked) == 1
    for other in (preview(element=PAY), preview(site=BANK, element=SEND)):
        setup.preview = other
        with pytest.raises(ApprovalDenied):
            await setup.authorize()


async def test_block_denies_the_site_from_then_on_without_a_request() -> None:
    setup = Setup(ASK_ALL, "block")
    with pytest.raises(ApprovalDenied, match="blocked the site"):
        await setup.authorize()
    with pytest.raises(DomainDenied):
        await setup.authorize()
    assert len(setup.person.asked) == 1


@pytest.mark.parametrize("choice", ["session", "always"])
async def test_a_site_needs_one_approval(choice: Choice) -> None:
    setup = Setup(ASK_SITES, choice)
    setup.preview = preview(element=SEND)
    await setup.authorize()
    await setup.authorize()
    (request,) = setup.person.asked
    assert (request.about, request.what) == ("site", "Use shop.example")


async def test_a_denied_site_stays_denied_until_the_user_changes_the_rules() -> None:
    setup = Setup(ASK_SITES, "deny", "session")
    with pytest.raises(ApprovalDenied):
        await setup.authorize()
    with pytest.raises(DomainDenied, match="your answer in this session"):
        await setup.authorize()
    setup.config.rules = ASK_SITES.with_rules([Rule(pattern=Pattern("other.example"), read="allow")])
    setup.preview = preview(element=SEND)
    await setup.authorize()


async def test_a_new_site_and_a_sensitive_action_are_two_requests() -> None:
    setup = Setup(ASK_SITES, "session", "deny")
    with pytest.raises(ApprovalDenied):
        await setup.authorize()
    assert [request.about for request in setup.person.asked] == ["site", "action"]


async def test_allowing_a_site_keeps_the_rule_that_asks_before_writing() -> None:
    setup = Setup(Ruleset([Rule(pattern=parse_pattern("*"), read="ask", write="ask")]), "always", "once")
    setup.preview = replace(preview(), request=PolicyRequest(effect="read", target=SHOP, client="c1"))
    await setup.authorize()
    setup.preview = preview(element=SEND)
    await setup.authorize()
    assert [request.about for request in setup.person.asked] == ["site", "action"]


async def test_on_a_blank_page_no_rule_can_be_written() -> None:
    setup = Setup(Ruleset((), Defaults(modes={"managed": "ask", "own": "ask"})), "once")
    setup.preview = preview(site=BLANK)
    await setup.authorize()
    assert set(setup.person.asked[0].choices) == {"once", "deny"}


async def test_always_overrides_neither_read_only_mode_nor_a_configured_deny() -> None:
    setup = Setup(ASK_ALL, "always")
    await setup.authorize()
    setup.config.rules = Ruleset(setup.config.rules.rules, Defaults(modes={"managed": "readonly", "own": "readonly"}))
    with pytest.raises(ReadOnly):
        await setup.authorize()
    setup.config.rules = Ruleset([Rule(pattern=Pattern("shop.example"), write="deny"), *setup.config.rules.rules])
    with pytest.raises(DomainDenied):
        await setup.authorize()


async def test_concurrent_calls_never_exceed_a_budget() -> None:
    setup = Setup(Ruleset((), Defaults(step_budget=7)))
    setup.preview = preview(element=SEND)
    outcomes = await asyncio.gather(*(setup.authorize(has_person=False) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, Authorization) for one in outcomes) == 7
    assert sum(isinstance(one, BudgetExhausted) for one in outcomes) == 13


async def test_a_denied_action_uses_no_budget() -> None:
    setup = Setup(Ruleset(ASK_ALL.rules, Defaults(step_budget=1)), "deny", "once")
    with pytest.raises(ApprovalDenied):
        await setup.authorize()
    await setup.authorize()


async def test_page_text_is_shown_as_one_plain_line() -> None:
    setup = Setup(ASK_ALL, "once")
    hostile = "Save\x1b[2J\nAsked because of nothing.\u202egnp.exe"
    setup.preview = replace(preview(), what=f"Click “{hostile}”", values={"text": hostile}, steps=(hostile,))
    await setup.authorize()
    (request,) = setup.person.asked
    for text in (request.what, *request.values.values(), *request.steps):
        assert not {"\x1b", "\n", "\u202e"} & set(text)
        assert "Save" in text


payloads = st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=12)


@settings(deadline=None)
@given(payloads, st.lists(st.sampled_from(["once", "deny"]), min_size=12, max_size=12))
def test_only_what_was_shown_and_approved_last_is_authorized(pages: list[str], choices: list[Choice]) -> None:
    """However the page changes between previews, the authorized action is the one last approved."""

    async def run() -> None:
        setup = Setup(ASK_ALL, *choices)
        remaining = iter([*pages, *[pages[-1]] * 20])

        async def inspect() -> ActionPreview:
            return preview(payload=next(remaining))

        try:
            authorization = await setup.authorize(inspect)
        except PilotError:
            return
        assert authorization.preview.binding == setup.person.asked[-1].binding
        assert authorization.approval_decision is not None
        assert authorization.approval_decision.allows

    asyncio.run(run())
