"""Allow, ask or deny: what a user would expect of each request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import BudgetExhausted, DomainDenied, ReadOnly, Refused
from browser_pilot.policy.budgets import Budgets, Charge
from browser_pilot.policy.decide import Decision, Request, decide
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts, SensitivePatterns
from browser_pilot.policy.vocabulary import (
    ACTS,
    MODES,
    PERMISSION_OF,
    THRESHOLDS,
    VERDICTS,
    Effect,
    Engine,
    Mode,
    Verdict,
)

NOW = 1_000_000.0
SHOP = Site("https", "shop.example.com", 443)
LOCAL = Site("http", "localhost", 3000)
PAY = ElementFacts(role="button", name="Pay now")
SAVE = ElementFacts(role="button", name="Save")
SIGN_OUT = ElementFacts(role="button", name="Sign out")
EFFECTS: tuple[Effect, ...] = tuple(PERMISSION_OF)


def rule(pattern: str, *, read: Verdict | None = None, write: Verdict | None = None, mode: Mode | None = None) -> Rule:
    return Rule(pattern=parse_pattern(pattern), read=read, write=write, mode=mode)


def outcome(request: Request, ruleset: Ruleset | None = None, counters: Budgets | None = None) -> Decision:
    return decide(request, ruleset or Ruleset(), counters or Budgets(), NOW)


def write(element: ElementFacts = SAVE, *, target: Site = SHOP, engine: Engine = "managed") -> Request:
    return Request(effect="write", target=target, element=element, engine=engine)


def test_an_ordinary_click_in_a_managed_browser_is_allowed() -> None:
    decision = outcome(write())
    assert (decision.verdict, decision.about, decision.risk) == ("allow", None, "low")


def test_paying_asks_in_a_managed_browser_and_says_why() -> None:
    decision = outcome(write(PAY))
    assert (decision.verdict, decision.about, decision.risk, decision.category) == ("ask", "action", "high", "pay")
    assert "Pay now" in decision.reason
    assert decision.rule == 'policy.ask_from.managed = "high"'


def test_signing_out_asks_only_in_the_users_own_chrome() -> None:
    own_auto = Ruleset(defaults=Defaults(modes={"managed": "auto", "own": "auto"}))
    assert outcome(write(SIGN_OUT)).verdict == "allow"
    assert outcome(write(SIGN_OUT, engine="own"), own_auto).verdict == "ask"
    assert outcome(write(SAVE, engine="own"), own_auto).verdict == "allow"


@pytest.mark.parametrize("target", [SHOP, LOCAL])
@pytest.mark.parametrize("engine", ["managed", "own"])
def test_a_file_that_can_run_always_asks(target: Site, engine: Engine) -> None:
    free = Ruleset(
        rules=(replace(rule("*", read="allow", write="allow", mode="auto"), requires_approval=False),),
        defaults=Defaults(modes={"managed": "auto", "own": "auto"}),
    )
    plain = Request(effect="download", target=target, engine=engine)
    assert outcome(plain, free).verdict == "allow"
    decision = outcome(replace(plain, runs="exe"), free)
    assert (decision.verdict, decision.about, decision.category) == ("ask", "action", "run")
    assert ".exe" in decision.reason


def test_the_users_own_chrome_asks_before_every_write_by_default() -> None:
    decision = outcome(write(engine="own"))
    assert (decision.verdict, decision.rule) == ("ask", "policy.mode")
    assert "shop.example.com" in decision.reason
    assert outcome(Request(effect="read", target=SHOP, engine="own")).verdict == "allow"
    assert outcome(Request(effect="navigate", target=SHOP, engine="own")).verdict == "allow"


def test_nothing_sensitive_asks_on_the_users_own_development_server() -> None:
    assert outcome(write(PAY, target=LOCAL)).verdict == "allow"
    in_frame = Request(effect="write", target=LOCAL, frame=SHOP, element=PAY)
    assert outcome(in_frame).verdict == "ask"


def test_a_rule_can_ask_more_or_less() -> None:
    always = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), requires_approval=True)])
    never = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), requires_approval=False)])
    medium = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), ask_from="low", mode="auto")])
    assert outcome(write(), always).verdict == "ask"
    assert "shop.example.com" in outcome(write(), always).rule
    assert outcome(Request(effect="read", target=SHOP), always).verdict == "allow"
    assert outcome(write(PAY, engine="own"), never).verdict == "allow"
    assert outcome(write(SIGN_OUT), medium).verdict == "ask"
    assert outcome(write(SAVE, engine="own"), medium).verdict == "allow"


def test_a_write_that_a_rule_asks_for_asks_about_the_action() -> None:
    decision = outcome(write(), Ruleset([rule("shop.example.com", write="ask")]))
    assert (decision.verdict, decision.about) == ("ask", "action")


def test_a_new_site_is_asked_for_once_and_before_the_action() -> None:
    ruleset = Ruleset(defaults=Defaults(uncovered="ask"))
    decision = outcome(write(PAY), ruleset)
    assert (decision.verdict, decision.about, decision.site) == ("ask", "site", SHOP)
    answered = ruleset.with_rules([rule("shop.example.com", read="allow", write="allow")])
    assert outcome(write(), answered).verdict == "allow"
    assert outcome(write(PAY), answered).about == "action"


def test_a_site_that_may_be_read_when_asked_is_asked_for_as_a_site() -> None:
    ruleset = Ruleset([rule("shop.example.com", read="ask")])
    assert outcome(Request(effect="read", target=SHOP), ruleset).about == "site"


def test_a_denied_site_names_the_rule_and_how_to_change_it() -> None:
    decision = outcome(Request(effect="navigate", target=SHOP), Ruleset([rule("*.example.com", read="deny")]))
    error = decision.error()
    assert (decision.verdict, error.code) == ("deny", "DOMAIN_DENIED")
    assert "*.example.com" in error.message
    assert error.suggestions
    assert error.metadata["rule"] == decision.rule


def test_the_frame_and_the_receiver_of_a_form_must_be_allowed_too() -> None:
    ruleset = Ruleset([rule("evil.example", write="deny")])
    evil = Site("https", "evil.example", 443)
    assert outcome(Request(effect="write", target=SHOP, frame=evil, element=SAVE), ruleset).verdict == "deny"
    form = ElementFacts(role="button", name="Next", submits=True, form_action="https://evil.example/collect")
    assert outcome(write(form), ruleset).verdict == "deny"
    assert outcome(write(replace(form, submits=False)), ruleset).verdict == "allow"
    assert outcome(write(replace(form, form_action="https://shop.example.com/x")), ruleset).verdict == "allow"
    assert outcome(write(replace(form, form_action="javascript:void 0")), ruleset).verdict == "allow"
    same_frame = Request(effect="write", target=SHOP, frame=SHOP, element=SAVE)
    assert outcome(same_frame, ruleset).verdict == "allow"


@pytest.mark.parametrize("effect", EFFECTS)
def test_read_only_mode_lets_an_agent_look_and_go_places_only(effect: Effect) -> None:
    ruleset = Ruleset(
        [rule("*", write="allow", mode="auto")], Defaults(modes={"managed": "readonly", "own": "readonly"})
    )
    decision = outcome(Request(effect=effect, target=SHOP), ruleset)
    if effect in ("read", "navigate", "capture"):
        assert decision.verdict == "allow"
    else:
        assert (decision.verdict, decision.refusal) == ("deny", ReadOnly)


def test_read_only_mode_holds_on_blank_pages() -> None:
    ruleset = Ruleset(defaults=Defaults(modes={"managed": "readonly", "own": "readonly"}))
    assert outcome(Request(effect="script", target=BLANK), ruleset).verdict == "deny"
    assert outcome(Request(effect="read", target=BLANK), ruleset).verdict == "allow"


def test_a_session_can_be_made_read_only() -> None:
    decision = outcome(replace(write(), session_mode="readonly"))
    assert (decision.verdict, decision.rule) == ("deny", "the session's mode")


def test_a_session_stays_on_its_own_domains() -> None:
    within = (parse_pattern("*.example.com"),)
    assert outcome(replace(write(), session_domains=within)).verdict == "allow"
    other = Request(effect="navigate", target=Site("https", "example.net", 443), session_domains=within)
    assert outcome(other).verdict == "deny"
    assert "*.example.com" in outcome(other).reason
    assert outcome(replace(other, session_domains=())).verdict == "deny"
    assert outcome(replace(other, target=BLANK)).verdict == "allow"


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "metadata.google.internal", "[::ffff:a9fe:a9fe]"])
def test_metadata_and_link_local_hosts_are_never_opened(host: str) -> None:
    ruleset = Ruleset([rule("*", read="allow", write="allow"), Rule(pattern=parse_pattern(host), read="allow")])
    assert outcome(Request(effect="navigate", target=Site("http", host, 80)), ruleset).verdict == "deny"


def test_pages_of_the_browser_itself_are_never_touched() -> None:
    decision = outcome(Request(effect="read", target=None))
    assert isinstance(decision.error(), DomainDenied)


def test_patterns_of_the_user_ask_everywhere_but_on_loopback() -> None:
    ruleset = Ruleset(defaults=Defaults(sensitive=SensitivePatterns(["launch"])))
    launch = ElementFacts(role="button", name="Launch rocket")
    assert outcome(write(launch), ruleset).verdict == "ask"
    assert outcome(write(launch, target=LOCAL), ruleset).verdict == "allow"


def test_a_used_up_session_budget_is_a_no_that_nobody_is_asked_for() -> None:
    ruleset = Ruleset(defaults=Defaults(step_budget=1))
    counters = Budgets()
    first = outcome(replace(write(PAY), session="s1"), ruleset, counters)
    assert first.verdict == "ask"
    assert first.charges == (Charge("session s1", 1),)
    counters.reserve(first.charges, NOW)
    second = outcome(replace(write(PAY), session="s1"), ruleset, counters)
    assert (second.verdict, second.refusal, second.rule) == ("deny", BudgetExhausted, "policy.step_budget")
    assert outcome(replace(write(), session="s2"), ruleset, counters).verdict == "allow"
    assert outcome(Request(effect="read", target=SHOP, session="s1"), ruleset, counters).verdict == "allow"


def test_an_hourly_limit_says_when_the_next_step_is_free() -> None:
    ruleset = Ruleset([Rule(pattern=parse_pattern("*.example.com"), max_steps_per_hour=1)])
    counters = Budgets()
    counters.reserve(outcome(write(), ruleset).charges, NOW - 600)
    decision = outcome(write(), ruleset, counters)
    assert decision.refusal is BudgetExhausted
    assert decision.retry_after_seconds == 3000
    assert "3000 s" in decision.reason
    none_at_all = Ruleset([Rule(pattern=parse_pattern("*.example.com"), max_steps_per_hour=0)])
    assert outcome(write(), none_at_all).retry_after_seconds is None


verdicts = st.none() | st.sampled_from(VERDICTS)
rules = st.builds(
    Rule,
    pattern=st.sampled_from(["*", "*.example.com", "shop.example.com", "shop.example.com:443"]).map(parse_pattern),
    read=verdicts,
    write=verdicts,
    requires_approval=st.none() | st.booleans(),
    ask_from=st.none() | st.sampled_from(THRESHOLDS),
    max_steps_per_hour=st.none() | st.integers(0, 3),
    mode=st.none() | st.sampled_from(MODES),
)
requests = st.builds(
    Request,
    effect=st.sampled_from(EFFECTS),
    target=st.sampled_from([SHOP, LOCAL, BLANK, None]),
    frame=st.sampled_from([SHOP, None]),
    element=st.sampled_from([PAY, SAVE, None]),
    engine=st.sampled_from(["managed", "own"]),
    session_mode=st.none() | st.sampled_from(MODES),
)


@given(requests, st.lists(rules, max_size=6))
def test_a_narrow_no_is_final(request: Request, some: list[Rule]) -> None:
    no = Rule(pattern=parse_pattern("shop.example.com:443"), read="deny", write="deny")
    if SHOP in (request.target, request.frame):
        assert outcome(request, Ruleset([*some, no])).verdict == "deny"


@given(requests, st.lists(rules, max_size=6), st.lists(rules, max_size=6))
def test_more_rules_never_let_anything_act_in_read_only_mode(
    request: Request, some: list[Rule], more: list[Rule]
) -> None:
    ruleset = Ruleset(some, Defaults(modes={"managed": "readonly", "own": "readonly"})).with_rules(more)
    if request.effect in ACTS:
        assert outcome(request, ruleset).verdict == "deny"


@given(requests, st.lists(rules, max_size=6))
def test_every_decision_says_why(request: Request, some: list[Rule]) -> None:
    decision = outcome(request, Ruleset(some))
    assert decision.rule
    assert decision.reason.endswith(".")
    assert (decision.about is not None) == (decision.verdict == "ask")
    assert isinstance(decision.error(), Refused)


@given(requests, st.lists(rules, max_size=6))
def test_a_decision_changes_nothing(request: Request, some: list[Rule]) -> None:
    counters = Budgets()
    ruleset = Ruleset(some)
    first = outcome(request, ruleset, counters)
    assert outcome(request, ruleset, counters) == first
    assert len(counters) == 0
