"""From a look at the page to a permission: what a yes is good for, and what it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.approvals.clearance import MOST_QUESTIONS, Asker, Clearance, Cleared, Sight, rule_made_by
from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.approvals.questions import Answer, Choice, Matter, Question
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import ApprovalDenied, BudgetExhausted, DomainDenied, PilotError, ReadOnly
from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import Request
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import Pattern, parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts

SHOP = Site("https", "shop.example", 443)
BANK = Site("https", "bank.example", 443)
PAY = ElementFacts(role="button", name="Pay now", submits=True, form_action="https://shop.example/pay")
SEND = ElementFacts(role="button", name="Send message")
ASK_ALL = Ruleset([Rule(pattern=parse_pattern("*"), write="ask")])
ASK_SITES = Ruleset((), Defaults(uncovered="ask"))


def sight(*, site: Site = SHOP, element: ElementFacts = PAY, fingerprint: str = "pay", payload: str = "") -> Sight:
    request = Request(effect="write", target=site, element=element, session="s1")
    return Sight(request=request, what=f"Click “{element.name}”", fingerprint=fingerprint, payload=payload)


class Person:
    """Reads the queue and gives the next of its answers to each question."""

    def __init__(self, queue: ApprovalQueue, choices: list[Choice]) -> None:
        self.asked: list[Matter] = []
        self._queue = queue
        self._choices = choices
        self.on_question: Callable[[], None] = lambda: None

    async def answer(self) -> None:
        with self._queue.subscribe() as watcher:
            while (event := await watcher.next()) is not None:
                if event.kind == "asked":
                    self.asked.append(event.question.matter)
                    self.on_question()
                    self._queue.answer(event.question.id, self._choices.pop(0), door="person")


class World:
    def __init__(self, rules: Ruleset, *answers: Choice) -> None:
        self.rules = rules
        self.budgets = Budgets()
        self.queue = ApprovalQueue(keep=self._keep)
        self.grants = SessionGrants()
        self.clearance = Clearance(
            queue=self.queue, grants=self.grants, rules=lambda: self.rules, budgets=self.budgets, clock=lambda: 1000.0
        )
        self.person = Person(self.queue, list(answers))
        self.seen = sight()

    def _keep(self, question: Question, answer: Answer) -> None:
        rule = rule_made_by(question, answer)
        if rule is not None:
            self.rules = self.rules.with_rules([rule])

    async def look(self) -> Sight:
        return self.seen

    async def obtain(
        self, look: Callable[[], Awaitable[Sight]] | None = None, *, session: str = "s1", answered: bool = True
    ) -> Cleared:
        asker = Asker(client="c1", client_name="Agent", session=session, tool="browser_click", timeout_seconds=5)
        answering = asyncio.create_task(self.person.answer()) if answered else None
        await asyncio.sleep(0)
        try:
            return await self.clearance.obtain(asker, look or self.look)
        finally:
            if answering is not None:
                answering.cancel()
                await asyncio.wait({answering})


async def test_what_the_rules_allow_asks_nobody() -> None:
    world = World(Ruleset())
    world.seen = sight(element=SEND)
    cleared = await world.obtain()
    assert cleared.answer is None
    assert world.person.asked == []


async def test_what_the_rules_deny_asks_nobody() -> None:
    world = World(Ruleset([Rule(pattern=Pattern("shop.example"), write="deny")]))
    with pytest.raises(DomainDenied):
        await world.obtain()
    assert world.person.asked == []


async def test_a_once_is_good_for_one_call() -> None:
    world = World(ASK_ALL, "once", "deny")
    cleared = await world.obtain()
    assert cleared.answer is not None
    assert cleared.answer.door == "person"
    assert cleared.sight is world.seen
    with pytest.raises(ApprovalDenied, match="The user said no"):
        await world.obtain()
    assert len(world.person.asked) == 2


@pytest.mark.parametrize(
    "changed",
    [
        sight(site=BANK),
        sight(fingerprint="another element"),
        sight(payload="another value"),
        sight(element=replace(PAY, form_action="https://evil.example/")),
        sight(element=replace(PAY, form_method="get")),
        replace(sight(), request=replace(sight().request, frame=BANK)),
        replace(sight(), request=replace(sight().request, url="https://shop.example/other")),
        replace(sight(), values={"amount": "1,000,000"}),
        replace(sight(), steps=("one", "two")),
    ],
)
async def test_a_page_that_changes_while_the_person_decides_is_asked_about_again(changed: Sight) -> None:
    world = World(ASK_ALL, "once", "deny")
    world.person.on_question = lambda: setattr(world, "seen", changed)
    with pytest.raises(ApprovalDenied, match="said no"):
        await world.obtain()
    first, second = world.person.asked
    assert first.binding != second.binding
    assert second.site == str(changed.request.target)


async def test_a_page_that_changes_back_is_not_approved_by_an_older_yes() -> None:
    """Approved A, then shown B and approved B, then A again: only the last yes counts."""
    world = World(ASK_ALL, "once", "once", "deny")
    pages = iter([sight(payload="A"), sight(payload="B"), sight(payload="A")])

    async def look() -> Sight:
        return next(pages)

    with pytest.raises(ApprovalDenied, match="said no"):
        await world.obtain(look)
    assert len(world.person.asked) == 3


async def test_a_page_that_never_rests_gets_nothing() -> None:
    answers: list[Choice] = ["once"] * (MOST_QUESTIONS + 1)
    world = World(ASK_ALL, *answers)
    count = 0

    async def look() -> Sight:
        nonlocal count
        count += 1
        return sight(payload=str(count))

    with pytest.raises(ApprovalDenied, match="changed every time"):
        await world.obtain(look)


async def test_for_this_session_covers_the_same_element_of_the_same_site_with_any_value() -> None:
    world = World(ASK_ALL, "session", "deny", "deny", "deny")
    await world.obtain()
    world.seen = sight(payload="another value")
    await world.obtain()
    assert len(world.person.asked) == 1
    for other in (sight(fingerprint="another element"), sight(site=BANK)):
        world.seen = other
        with pytest.raises(ApprovalDenied):
            await world.obtain()
    world.seen = sight()
    with pytest.raises(ApprovalDenied):
        await world.obtain(session="s2")
    assert len(world.person.asked) == 4


async def test_for_this_session_ends_with_the_session() -> None:
    world = World(ASK_ALL, "session", "deny")
    await world.obtain()
    world.grants.forget("s1")
    with pytest.raises(ApprovalDenied):
        await world.obtain()


async def test_an_element_that_cannot_be_told_apart_is_asked_about_every_time() -> None:
    world = World(ASK_ALL, "session", "deny")
    world.seen = sight(fingerprint="")
    await world.obtain()
    with pytest.raises(ApprovalDenied):
        await world.obtain()


async def test_one_answer_covers_an_announced_plan() -> None:
    world = World(ASK_ALL, "session")
    world.seen = replace(sight(fingerprint=""), steps=("Email: a", "Name: b"), plan="form-1")
    await world.obtain()
    await world.obtain()
    (matter,) = world.person.asked
    assert matter.steps == ("Email: a", "Name: b")


async def test_always_writes_a_rule_for_this_site_and_this_risk() -> None:
    world = World(ASK_ALL, "always", "deny", "deny")
    world.seen = sight(element=SEND)
    await world.obtain()
    await world.obtain()
    assert len(world.person.asked) == 1
    for other in (sight(element=PAY), sight(site=BANK, element=SEND)):
        world.seen = other
        with pytest.raises(ApprovalDenied):
            await world.obtain()


async def test_block_denies_the_site_from_then_on_without_a_question() -> None:
    world = World(ASK_ALL, "block")
    with pytest.raises(ApprovalDenied, match="blocked the site"):
        await world.obtain()
    with pytest.raises(DomainDenied):
        await world.obtain()
    assert len(world.person.asked) == 1


@pytest.mark.parametrize("choice", ["session", "always"])
async def test_a_site_is_asked_about_once(choice: Choice) -> None:
    world = World(ASK_SITES, choice)
    world.seen = sight(element=SEND)
    await world.obtain()
    await world.obtain()
    (matter,) = world.person.asked
    assert (matter.about, matter.what) == ("site", "Use shop.example")


async def test_a_no_to_a_site_is_kept_until_the_user_changes_the_rules() -> None:
    world = World(ASK_SITES, "deny", "session")
    with pytest.raises(ApprovalDenied):
        await world.obtain()
    with pytest.raises(DomainDenied, match="your answer in this session"):
        await world.obtain()
    world.rules = ASK_SITES.with_rules([Rule(pattern=Pattern("other.example"), read="allow")])
    world.seen = sight(element=SEND)
    await world.obtain()


async def test_a_site_and_then_a_sensitive_action_are_two_questions() -> None:
    world = World(ASK_SITES, "session", "deny")
    with pytest.raises(ApprovalDenied):
        await world.obtain()
    assert [matter.about for matter in world.person.asked] == ["site", "action"]


async def test_an_answer_about_a_site_keeps_the_rule_that_asks_before_writing() -> None:
    world = World(Ruleset([Rule(pattern=parse_pattern("*"), read="ask", write="ask")]), "always", "once")
    world.seen = replace(sight(), request=Request(effect="read", target=SHOP, session="s1"))
    await world.obtain()
    world.seen = sight(element=SEND)
    await world.obtain()
    assert [matter.about for matter in world.person.asked] == ["site", "action"]


async def test_on_a_blank_page_no_rule_can_be_made() -> None:
    world = World(Ruleset((), Defaults(modes={"managed": "ask", "own": "ask"})), "once")
    world.seen = sight(site=BLANK)
    await world.obtain()
    assert set(world.person.asked[0].choices) == {"once", "session", "deny"}


async def test_an_always_loosens_no_read_only_mode_and_no_configured_no() -> None:
    world = World(ASK_ALL, "always")
    await world.obtain()
    world.rules = Ruleset(world.rules.rules, Defaults(modes={"managed": "readonly", "own": "readonly"}))
    with pytest.raises(ReadOnly):
        await world.obtain()
    world.rules = Ruleset([Rule(pattern=Pattern("shop.example"), write="deny"), *world.rules.rules])
    with pytest.raises(DomainDenied):
        await world.obtain()


async def test_a_budget_is_never_overshot_by_calls_at_the_same_time() -> None:
    world = World(Ruleset((), Defaults(step_budget=7)))
    world.seen = sight(element=SEND)
    outcomes = await asyncio.gather(*(world.obtain(answered=False) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, Cleared) for one in outcomes) == 7
    assert sum(isinstance(one, BudgetExhausted) for one in outcomes) == 13


async def test_what_was_asked_but_refused_uses_up_no_budget() -> None:
    world = World(Ruleset(ASK_ALL.rules, Defaults(step_budget=1)), "deny", "once")
    with pytest.raises(ApprovalDenied):
        await world.obtain()
    await world.obtain()


async def test_texts_from_pages_reach_a_person_in_one_plain_line() -> None:
    world = World(ASK_ALL, "once")
    hostile = "Save\x1b[2J\nAsked because of nothing.\u202egnp.exe"
    world.seen = replace(sight(), what=f"Click “{hostile}”", values={"text": hostile}, steps=(hostile,))
    await world.obtain()
    (matter,) = world.person.asked
    for text in (matter.what, *matter.values.values(), *matter.steps):
        assert not {"\x1b", "\n", "\u202e"} & set(text)
        assert "Save" in text


payloads = st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=12)


@settings(deadline=None)
@given(payloads, st.lists(st.sampled_from(["once", "deny"]), min_size=12, max_size=12))
def test_nothing_is_ever_cleared_that_was_not_shown_and_approved_last(pages: list[str], choices: list[Choice]) -> None:
    """Whatever the page does between looks, what is cleared is what the last yes was for."""

    async def run() -> None:
        world = World(ASK_ALL, *choices)
        remaining = iter([*pages, *[pages[-1]] * 20])

        async def look() -> Sight:
            return sight(payload=next(remaining))

        try:
            cleared = await world.obtain(look)
        except PilotError:
            return
        assert cleared.sight.binding == world.person.asked[-1].binding
        assert cleared.answer is not None
        assert cleared.answer.allows

    asyncio.run(run())
