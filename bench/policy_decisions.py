"""Measures one policy decision with 2,000 rules: `python bench/policy_decisions.py`. Target: p99 below 1 ms."""

from __future__ import annotations

import statistics
import time

from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import PolicyRequest, decide
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts, SensitivePatterns


def main() -> None:
    ruleset = Ruleset(
        [Rule(pattern=parse_pattern(f"*.site{number}.example"), read="allow") for number in range(2000)],
        Defaults(sensitive=SensitivePatterns([f"word{number}.*x" for number in range(20)])),
    )
    element = ElementFacts(role="button", name="Ünicode label " * 20, submits=True, form_action="https://a.example/b/c")
    request = PolicyRequest(
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
    cuts = statistics.quantiles(durations, n=100)
    print(f"p50 {cuts[49] * 1000:.3f} ms, p99 {cuts[-1] * 1000:.3f} ms of processor time")


if __name__ == "__main__":
    main()
