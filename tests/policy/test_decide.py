"""Allow, ask or deny: the expected policy decision for each kind of request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import BudgetExhausted, DomainDenied, ReadOnly, Refused
from browser_pilot.policy.budgets import Budgets, Charge
from browser_pilot.policy.decide import PolicyDecision, PolicyRequest, decide
from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts, SensitivePatterns
from browser_pilot.policy.types import (
    MODES,
    MUTATING_EFFECTS,
    PERMISSION_OF,
    THRESHOLDS,
    VERDICTS,
    Effect,
    EngineKind,
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


def decision_for(
    request: PolicyRequest, ruleset: Ruleset | None = None, counters: Budgets | None = None
) -> PolicyDecision:
    return decide(request, ruleset or Ruleset(), counters or Budgets(), NOW)


def write(element: ElementFacts = SAVE, *, target: Site = SHOP, engine: EngineKind = "managed") -> PolicyRequest:
    return PolicyRequest(effect="write", target=target, element=element, engine=engine)


def test_an_ordinary_click_in_a_managed_browser_is_allowed() -> None:
    decision = decision_for(write())
    assert (decision.verdict, decision.about, decision.risk) == ("allow", None, "low")


def test_a_payment_asks_in_a_managed_browser_and_gives_the_reason() -> None:
    decision = decision_for(write(PAY))
    assert (decision.verdict, decision.about, decision.risk, decision.category) == ("ask", "action", "high", "pay")
    assert "Pay now" in decision.reason
    assert decision.rule == 'policy.ask_from.managed = "high"'


def test_signing_out_asks_only_in_the_users_own_chrome() -> None:
    own_auto = Ruleset(defaults=Defaults(modes={"managed": "auto", "own": "auto"}))
    assert decision_for(write(SIGN_OUT)).verdict == "allow"
    assert decision_for(write(SIGN_OUT, engine="own"), own_auto).verdict == "ask"
    assert decision_for(write(SAVE, engine="own"), own_auto).verdict == "allow"


@pytest.mark.parametrize("target", [SHOP, LOCAL])
@pytest.mark.parametrize("engine", ["managed", "own"])
def test_an_executable_download_always_asks(target: Site, engine: EngineKind) -> None:
    permissive = Ruleset(
        rules=(replace(rule("*", read="allow", write="allow", mode="auto"), requires_approval=False),),
        defaults=Defaults(modes={"managed": "auto", "own": "auto"}),
    )
    plain = PolicyRequest(effect="download", target=target, engine=engine)
    assert decision_for(plain, permissive).verdict == "allow"
    decision = decision_for(replace(plain, executable_type="exe"), permissive)
    assert (decision.verdict, decision.about, decision.category) == ("ask", "action", "run")
    assert ".exe" in decision.reason


@pytest.mark.parametrize("target", [SHOP, LOCAL])
@pytest.mark.parametrize("engine", ["managed", "own"])
def test_a_local_file_always_asks_with_its_path(target: Site, engine: EngineKind) -> None:
    permissive = Ruleset(
        rules=(replace(rule("*", read="allow", write="allow", mode="auto"), requires_approval=False),),
        defaults=Defaults(modes={"managed": "auto", "own": "auto"}),
    )
    plain = PolicyRequest(effect="upload", target=target, engine=engine)
    assert decision_for(plain, permissive).verdict == "allow"
    decision = decision_for(replace(plain, local_files=("/home/ada/report.pdf",)), permissive)
    assert (decision.verdict, decision.about, decision.category) == ("ask", "action", "local_file")
    assert decision.risk == "high"
    assert "/home/ada/report.pdf" in decision.reason


@pytest.mark.parametrize(
    ("target", "engine", "script", "reading"),
    [
        (SHOP, "managed", "ask", "allow"),
        (BLANK, "managed", "ask", "allow"),
        (LOCAL, "managed", "allow", "allow"),
        (SHOP, "own", "ask", "ask"),
    ],
)
def test_a_script_asks_unless_it_has_no_side_effects(
    target: Site, engine: EngineKind, script: str, reading: str
) -> None:
    request = PolicyRequest(effect="script", target=target, engine=engine)
    assert decision_for(request).verdict == script
    assert decision_for(replace(request, side_effect_free=True)).verdict == reading


def test_a_script_without_side_effects_is_still_a_script_for_rules_and_modes() -> None:
    request = PolicyRequest(effect="script", target=SHOP, side_effect_free=True)
    assert decision_for(request, Ruleset([rule("shop.example.com", write="deny")])).verdict == "deny"
    assert decision_for(request, Ruleset([rule("shop.example.com", write="ask")])).verdict == "ask"
    assert decision_for(replace(request, session_mode="readonly")).verdict == "deny"


def test_the_users_own_chrome_asks_about_each_new_site_and_before_every_write_by_default() -> None:
    for effect in ("read", "navigate", "write"):
        decision = decision_for(PolicyRequest(effect=effect, target=SHOP, engine="own"))
        assert (decision.verdict, decision.about, decision.rule) == ("ask", "site", "policy.mode")
        assert "shop.example.com" in decision.reason
        assert decision_for(PolicyRequest(effect=effect, target=SHOP, engine="managed")).verdict == "allow"
    known = Ruleset([rule("shop.example.com", read="allow", write="allow"), Rule(pattern=parse_pattern("*"))])
    assert decision_for(PolicyRequest(effect="read", target=SHOP, engine="own"), known).verdict == "allow"
    assert decision_for(PolicyRequest(effect="navigate", target=SHOP, engine="own"), known).verdict == "allow"
    assert decision_for(write(engine="own"), known).about == "action"
    limits_only = Ruleset([Rule(pattern=parse_pattern("*"), max_steps_per_hour=5)])
    assert decision_for(PolicyRequest(effect="read", target=SHOP, engine="own"), limits_only).about == "site"


def test_other_modes_this_machine_and_blank_pages_need_no_approval_of_the_site_in_the_users_own_chrome() -> None:
    own_auto = Ruleset(defaults=Defaults(modes={"managed": "auto", "own": "auto"}))
    for target, ruleset in ((SHOP, own_auto), (LOCAL, Ruleset()), (BLANK, Ruleset())):
        assert decision_for(PolicyRequest(effect="navigate", target=target, engine="own"), ruleset).verdict == "allow"


def test_sensitive_actions_on_loopback_do_not_ask_by_default() -> None:
    assert decision_for(write(PAY, target=LOCAL)).verdict == "allow"
    in_frame = PolicyRequest(effect="write", target=LOCAL, frame=SHOP, element=PAY)
    assert decision_for(in_frame).verdict == "ask"


def test_a_rule_can_require_more_or_fewer_approvals() -> None:
    always = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), requires_approval=True)])
    never = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), requires_approval=False)])
    medium = Ruleset([Rule(pattern=parse_pattern("shop.example.com"), ask_from="low", mode="auto")])
    assert decision_for(write(), always).verdict == "ask"
    assert "shop.example.com" in decision_for(write(), always).rule
    assert decision_for(PolicyRequest(effect="read", target=SHOP), always).verdict == "allow"
    assert decision_for(write(PAY, engine="own"), never).verdict == "allow"
    assert decision_for(write(SIGN_OUT), medium).verdict == "ask"
    assert decision_for(write(SAVE, engine="own"), medium).verdict == "allow"


def test_a_write_ask_rule_asks_about_the_action() -> None:
    decision = decision_for(write(), Ruleset([rule("shop.example.com", write="ask")]))
    assert (decision.verdict, decision.about) == ("ask", "action")


def test_a_new_site_needs_approval_before_the_action() -> None:
    ruleset = Ruleset(defaults=Defaults(uncovered="ask"))
    decision = decision_for(write(PAY), ruleset)
    assert (decision.verdict, decision.about, decision.site) == ("ask", "site", SHOP)
    with_decision = ruleset.with_rules([rule("shop.example.com", read="allow", write="allow")])
    assert decision_for(write(), with_decision).verdict == "allow"
    assert decision_for(write(PAY), with_decision).about == "action"


def test_a_read_ask_rule_asks_about_the_site() -> None:
    ruleset = Ruleset([rule("shop.example.com", read="ask")])
    assert decision_for(PolicyRequest(effect="read", target=SHOP), ruleset).about == "site"


def test_the_error_for_a_denied_site_names_the_rule_and_how_to_change_it() -> None:
    decision = decision_for(
        PolicyRequest(effect="navigate", target=SHOP), Ruleset([rule("*.example.com", read="deny")])
    )
    error = decision.error()
    assert (decision.verdict, error.code) == ("deny", "DOMAIN_DENIED")
    assert "*.example.com" in error.message
    assert error.suggestions
    assert error.metadata["rule"] == decision.rule


def test_the_frame_and_the_target_of_a_form_must_be_allowed_too() -> None:
    ruleset = Ruleset([rule("evil.example", write="deny")])
    evil = Site("https", "evil.example", 443)
    assert decision_for(PolicyRequest(effect="write", target=SHOP, frame=evil, element=SAVE), ruleset).verdict == "deny"
    form = ElementFacts(role="button", name="Next", submits=True, form_action="https://evil.example/collect")
    assert decision_for(write(form), ruleset).verdict == "deny"
    assert decision_for(write(replace(form, submits=False)), ruleset).verdict == "allow"
    assert decision_for(write(replace(form, form_action="https://shop.example.com/x")), ruleset).verdict == "allow"
    assert decision_for(write(replace(form, form_action="javascript:void 0")), ruleset).verdict == "allow"
    same_frame = PolicyRequest(effect="write", target=SHOP, frame=SHOP, element=SAVE)
    assert decision_for(same_frame, ruleset).verdict == "allow"


@pytest.mark.parametrize("effect", EFFECTS)
def test_read_only_mode_allows_only_reading_and_navigation(effect: Effect) -> None:
    ruleset = Ruleset(
        [rule("*", write="allow", mode="auto")], Defaults(modes={"managed": "readonly", "own": "readonly"})
    )
    decision = decision_for(PolicyRequest(effect=effect, target=SHOP), ruleset)
    if effect in ("read", "navigate", "capture"):
        assert decision.verdict == "allow"
    else:
        assert (decision.verdict, decision.error_type) == ("deny", ReadOnly)


def test_read_only_mode_applies_to_blank_pages() -> None:
    ruleset = Ruleset(defaults=Defaults(modes={"managed": "readonly", "own": "readonly"}))
    assert decision_for(PolicyRequest(effect="script", target=BLANK), ruleset).verdict == "deny"
    assert decision_for(PolicyRequest(effect="read", target=BLANK), ruleset).verdict == "allow"


def test_a_session_can_be_made_read_only() -> None:
    decision = decision_for(replace(write(), session_mode="readonly"))
    assert (decision.verdict, decision.rule) == ("deny", "the session's mode")


def test_a_session_is_restricted_to_its_domains() -> None:
    within = (parse_pattern("*.example.com"),)
    assert decision_for(replace(write(), session_domains=within)).verdict == "allow"
    other = PolicyRequest(effect="navigate", target=Site("https", "example.net", 443), session_domains=within)
    assert decision_for(other).verdict == "deny"
    assert "*.example.com" in decision_for(other).reason
    assert decision_for(replace(other, session_domains=())).verdict == "deny"
    assert decision_for(replace(other, target=BLANK)).verdict == "allow"


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "metadata.google.internal", "[::ffff:a9fe:a9fe]"])
def test_metadata_and_link_local_hosts_are_never_opened(host: str) -> None:
    ruleset = Ruleset([rule("*", read="allow", write="allow"), Rule(pattern=parse_pattern(host), read="allow")])
    assert decision_for(PolicyRequest(effect="navigate", target=Site("http", host, 80)), ruleset).verdict == "deny"


def test_internal_pages_of_the_browser_are_denied() -> None:
    decision = decision_for(PolicyRequest(effect="read", target=None))
    assert isinstance(decision.error(), DomainDenied)


def test_user_patterns_ask_everywhere_except_on_loopback() -> None:
    ruleset = Ruleset(defaults=Defaults(sensitive=SensitivePatterns(["launch"])))
    launch = ElementFacts(role="button", name="Launch rocket")
    assert decision_for(write(launch), ruleset).verdict == "ask"
    assert decision_for(write(launch, target=LOCAL), ruleset).verdict == "allow"


def test_an_exhausted_client_budget_denies_instead_of_asking() -> None:
    ruleset = Ruleset(defaults=Defaults(step_budget=1))
    counters = Budgets()
    first = decision_for(replace(write(PAY), client="c1"), ruleset, counters)
    assert first.verdict == "ask"
    assert first.charges == (Charge("client c1", 1),)
    counters.reserve(first.charges, NOW)
    second = decision_for(replace(write(PAY), client="c1"), ruleset, counters)
    assert (second.verdict, second.error_type, second.rule) == ("deny", BudgetExhausted, "policy.step_budget")
    assert decision_for(replace(write(), client="c2"), ruleset, counters).verdict == "allow"
    assert decision_for(PolicyRequest(effect="read", target=SHOP, client="c1"), ruleset, counters).verdict == "allow"


def test_an_hourly_limit_says_when_the_next_step_is_available() -> None:
    ruleset = Ruleset([Rule(pattern=parse_pattern("*.example.com"), max_steps_per_hour=1)])
    counters = Budgets()
    counters.reserve(decision_for(write(), ruleset).charges, NOW - 600)
    decision = decision_for(write(), ruleset, counters)
    assert decision.error_type is BudgetExhausted
    assert decision.retry_after_seconds == 3000
    assert "3000 s" in decision.reason
    none_at_all = Ruleset([Rule(pattern=parse_pattern("*.example.com"), max_steps_per_hour=0)])
    assert decision_for(write(), none_at_all).retry_after_seconds is None


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
    PolicyRequest,
    effect=st.sampled_from(EFFECTS),
    target=st.sampled_from([SHOP, LOCAL, BLANK, None]),
    frame=st.sampled_from([SHOP, None]),
    element=st.sampled_from([PAY, SAVE, None]),
    engine=st.sampled_from(["managed", "own"]),
    session_mode=st.none() | st.sampled_from(MODES),
)


@given(requests, st.lists(rules, max_size=6))
def test_the_most_specific_deny_is_final(request: PolicyRequest, some_rules: list[Rule]) -> None:
    deny = Rule(pattern=parse_pattern("shop.example.com:443"), read="deny", write="deny")
    if SHOP in (request.target, request.frame):
        assert decision_for(request, Ruleset([*some_rules, deny])).verdict == "deny"


@given(requests, st.lists(rules, max_size=6), st.lists(rules, max_size=6))
def test_no_rule_allows_a_mutating_effect_in_read_only_mode(
    request: PolicyRequest, some_rules: list[Rule], more: list[Rule]
) -> None:
    ruleset = Ruleset(some_rules, Defaults(modes={"managed": "readonly", "own": "readonly"})).with_rules(more)
    if request.effect in MUTATING_EFFECTS:
        assert decision_for(request, ruleset).verdict == "deny"


@given(requests, st.lists(rules, max_size=6))
def test_every_decision_has_a_rule_and_a_reason(request: PolicyRequest, some_rules: list[Rule]) -> None:
    decision = decision_for(request, Ruleset(some_rules))
    assert decision.rule
    assert decision.reason.endswith(".")
    assert (decision.about is not None) == (decision.verdict == "ask")
    assert isinstance(decision.error(), Refused)


@given(requests, st.lists(rules, max_size=6))
def test_decide_has_no_side_effects(request: PolicyRequest, some_rules: list[Rule]) -> None:
    counters = Budgets()
    ruleset = Ruleset(some_rules)
    first = decision_for(request, ruleset, counters)
    assert decision_for(request, ruleset, counters) == first
    assert len(counters) == 0


@pytest.mark.parametrize("side_effect_free", [False, True])
def test_a_script_in_a_page_with_a_filled_secret_always_needs_approval(side_effect_free: bool) -> None:
    rules = Ruleset([Rule(pattern=parse_pattern("*"), write="allow", ask_from="never", mode="auto")])
    request = PolicyRequest(effect="script", target=SHOP, side_effect_free=side_effect_free)
    assert decide(request, rules, Budgets(), 0).verdict == "allow"
    decision = decide(replace(request, secret_filled=True), rules, Budgets(), 0)
    assert (decision.verdict, decision.about) == ("ask", "action")
    assert "secret" in decision.reason
    assert decide(replace(request, effect="write", secret_filled=True), rules, Budgets(), 0).verdict == "allow"


def test_a_cookie_of_a_domain_needs_what_the_names_below_it_need() -> None:
    target = Site("https", "shop.test", 443)
    rules = Ruleset([rule("bank.shop.test:8443", write="deny"), rule("workshop.test", write="deny"), rule("*")])
    one_host = PolicyRequest(effect="write", target=target)
    assert decision_for(one_host, rules).verdict == "allow"
    denied = decision_for(replace(one_host, with_subdomains=True), rules)
    assert (denied.verdict, str(denied.site)) == ("deny", "bank.shop.test:8443")
    assert decision_for(replace(one_host, with_subdomains=True), Ruleset([rule("a.shop.test", read="deny")])).verdict
    assert decision_for(replace(one_host, with_subdomains=True), Ruleset()).verdict == "allow"
