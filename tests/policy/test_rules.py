"""The most specific rule decides, field by field; "deny" wins among equals; read-only mode is never loosened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, HourlyLimit, Rule, Ruleset
from browser_pilot.policy.types import MODES, THRESHOLDS, VERDICTS, Mode, Verdict

SITE = Site("https", "www.example.com", 443)

PATTERNS = (
    "www.example.com:443",
    "www.example.com",
    "*.www.example.com",
    "*.example.com:443",
    "*.example.com",
    "*:443",
    "*",
)
verdicts: st.SearchStrategy[Verdict] = st.sampled_from(VERDICTS)
modes: st.SearchStrategy[Mode] = st.sampled_from(MODES)
rules = st.builds(
    Rule,
    pattern=st.sampled_from((*PATTERNS, "other.example.com", "*.example.net")).map(parse_pattern),
    read=st.none() | verdicts,
    write=st.none() | verdicts,
    requires_approval=st.none() | st.booleans(),
    ask_from=st.none() | st.sampled_from(THRESHOLDS),
    max_steps_per_hour=st.none() | st.integers(0, 9),
    mode=st.none() | modes,
)


def rule(pattern: str, *, read: Verdict | None = None, write: Verdict | None = None, mode: Mode | None = None) -> Rule:
    return Rule(pattern=parse_pattern(pattern), read=read, write=write, mode=mode)


@given(st.permutations(PATTERNS), st.data())
def test_a_more_specific_rule_wins(order: list[str], data: st.DataObject) -> None:
    narrow, wide = sorted(data.draw(st.sampled_from([order[:2], order[1:3], order[2:4]])), key=PATTERNS.index)
    first, second = data.draw(st.tuples(verdicts, verdicts))
    ruleset = Ruleset(data.draw(st.permutations([rule(narrow, read=first), rule(wide, read=second)])))
    assert ruleset.coverage(SITE).permit("read").verdict == first


@given(st.lists(rules, max_size=6), st.sampled_from(PATTERNS))
def test_deny_wins_among_rules_for_the_same_pattern(others: list[Rule], pattern: str) -> None:
    same = [Rule(pattern=parse_pattern(pattern), read=other.read, write=other.write) for other in others]
    denying = rule(pattern, write="deny")
    for position in range(len(same) + 1):
        ruleset = Ruleset([*same[:position], denying, *same[position:]])
        assert ruleset.coverage(SITE).permit("write").verdict == "deny"


@given(st.lists(rules, max_size=8), st.lists(rules, max_size=8), st.none() | modes)
def test_no_rule_loosens_read_only_mode(
    some_rules: list[Rule], more_rules: list[Rule], session_mode: Mode | None
) -> None:
    ruleset = Ruleset(some_rules, Defaults(modes={"managed": "readonly", "own": "readonly"})).with_rules(more_rules)
    assert ruleset.mode("managed", ruleset.coverage(SITE), session_mode)[0] == "readonly"


@given(st.lists(rules, max_size=8), modes)
def test_a_session_only_tightens_the_mode(some_rules: list[Rule], session_mode: Mode) -> None:
    ruleset = Ruleset(some_rules)
    coverage = ruleset.coverage(SITE)
    order: list[Mode] = ["auto", "ask", "readonly"]
    without = ruleset.mode("managed", coverage, None)[0]
    with_it = ruleset.mode("managed", coverage, session_mode)[0]
    assert order.index(with_it) == max(order.index(without), order.index(session_mode))


@given(st.lists(rules, max_size=8))
def test_rules_for_other_sites_have_no_effect(some_rules: list[Rule]) -> None:
    covering = [one for one in some_rules if one.pattern.covers(SITE)]
    assert Ruleset(some_rules).coverage(SITE) == Ruleset(covering).coverage(SITE)


def test_each_field_comes_from_the_most_specific_rule_that_sets_it() -> None:
    ruleset = Ruleset([rule("*", write="deny"), rule("*.example.com", read="ask"), rule("www.example.com", mode="ask")])
    found = ruleset.coverage(SITE)
    assert found.permit("write").verdict == "deny"
    assert found.permit("read").verdict == "ask"
    assert found.mode() == ("ask", 'the rule for "www.example.com" (config.toml)')


def test_the_uncovered_default_decides_what_no_rule_sets() -> None:
    ruleset = Ruleset([rule("www.example.com", read="allow")], Defaults(uncovered="deny"))
    assert ruleset.coverage(SITE).permit("write").verdict == "deny"
    assert not ruleset.coverage(SITE).permit("write").explicit
    assert 'uncovered = "deny"' in ruleset.coverage(SITE).permit("write").rule


def test_write_permission_implies_read_permission() -> None:
    ruleset = Ruleset([rule("www.example.com", write="ask")], Defaults(uncovered="deny"))
    assert ruleset.coverage(SITE).permit("read").verdict == "allow"


def test_a_later_rule_replaces_an_earlier_one_except_deny_and_read_only() -> None:
    config = Rule(pattern=parse_pattern("www.example.com"), write="ask", requires_approval=True, max_steps_per_hour=9)
    decision = Rule(
        pattern=parse_pattern("www.example.com"), write="allow", ask_from="high", max_steps_per_hour=20, source="answer"
    )
    merged = Ruleset([config, decision]).coverage(SITE).rules[0]
    assert (merged.write, merged.requires_approval, merged.ask_from) == ("allow", None, "high")
    assert merged.max_steps_per_hour == 9
    assert merged.source == "config.toml, answer"
    partial = Ruleset([config, rule("www.example.com", mode="auto")]).coverage(SITE).rules[0]
    assert (partial.write, partial.requires_approval, partial.mode) == ("ask", True, "auto")
    assert partial.source == "config.toml"
    readonly = Ruleset([rule("www.example.com", mode="readonly"), rule("www.example.com", mode="auto")])
    assert readonly.coverage(SITE).mode() == ("readonly", 'the rule for "www.example.com" (config.toml)')


def test_an_hourly_limit_is_shared_by_all_hosts_of_its_pattern() -> None:
    ruleset = Ruleset(
        [
            Rule(pattern=parse_pattern("*.example.com"), max_steps_per_hour=5),
            Rule(pattern=parse_pattern("*"), max_steps_per_hour=7),
        ]
    )
    assert ruleset.coverage(SITE).hourly_limit() == HourlyLimit("*.example.com", 5)
    other = Site("https", "a.b.example.net", 443)
    assert ruleset.coverage(other).hourly_limit() == HourlyLimit("example.net", 7)
    assert Ruleset().coverage(other).hourly_limit() is None


def test_only_a_rule_other_than_the_star_is_specific() -> None:
    assert not Ruleset([rule("*", read="allow")]).coverage(SITE).has_specific_rule
    assert Ruleset([rule("*.example.com", read="allow")]).coverage(SITE).has_specific_rule


def test_a_blank_page_is_covered_by_no_rule() -> None:
    coverage = Ruleset([rule("*", read="deny")], Defaults(uncovered="deny")).coverage(BLANK)
    assert coverage.permit("read").verdict == "allow"
