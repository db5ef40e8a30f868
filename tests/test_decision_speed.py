"""A decision must not be felt. Apart from the other tests of the policy, which run under a slow tracer."""

from __future__ import annotations

import statistics
import time

from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import Request, decide
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts, SensitivePatterns


def test_a_decision_takes_less_than_a_millisecond() -> None:
    ruleset = Ruleset(
        [Rule(pattern=parse_pattern(f"*.site{number}.example"), read="allow") for number in range(2000)],
        Defaults(sensitive=SensitivePatterns([f"word{number}.*x" for number in range(20)])),
    )
    element = ElementFacts(role="button", name="Ünicode label " * 20, submits=True, form_action="https://a.example/b/c")
    request = Request(
        effect="write",
        target=Site("https", "a.b.c.site77.example", 443),
        frame=Site("https", "shop.example.com", 443),
        element=element,
    )
    durations: list[float] = []
    for _ in range(500):
        started = time.thread_time()
        decide(request, ruleset, Budgets(), 0.0)
        durations.append(time.thread_time() - started)
    assert statistics.quantiles(durations, n=100)[-1] < 0.001
