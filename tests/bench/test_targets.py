"""The targets of the benchmark and their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from bench.stats import Sample, summarise
from bench.targets import Verdict, count_by_state, evaluate_targets

US, RAW, PW, AB = "browser-pilot", "raw CDP", "playwright-mcp", "agent-browser"


def verdict(samples: Sequence[Sample], target: str, subject: str = "") -> Verdict:
    (found,) = (v for v in evaluate_targets(summarise(samples)) if v.target.startswith(target) and v.subject == subject)
    return found


def test_the_start_up_target_is_a_fifth_of_playwright_mcp() -> None:
    assert verdict([Sample("start-up", US, ms=100), Sample("start-up", PW, ms=500)], "start-up").met is True
    missed = verdict([Sample("start-up", US, ms=150), Sample("start-up", PW, ms=500)], "start-up")
    assert missed.met is False
    assert missed.ratio == 1.5


def test_a_target_without_both_sides_is_not_measured() -> None:
    assert verdict([Sample("start-up", PW, ms=500)], "start-up").met is None


def test_every_page_has_its_own_verdict() -> None:
    samples = [
        Sample("snapshot", name, subject=page, tokens=tokens)
        for name, page, tokens in ((US, "a", 40), (PW, "a", 100), (US, "b", 60), (PW, "b", 100))
    ]
    target = "snapshot tokens ≤ 0.5"
    assert verdict(samples, target, "a").met is True
    assert verdict(samples, target, "b").met is False


def test_the_sum_of_pages_ignores_peers_that_failed_on_a_page() -> None:
    samples = [
        Sample("snapshot", US, subject="a", tokens=50),
        Sample("snapshot", US, subject="b", tokens=50),
        Sample("snapshot", PW, subject="a", tokens=90),
        Sample("snapshot", PW, subject="b", tokens=90),
        Sample("snapshot", AB, subject="a", tokens=10),
        Sample("snapshot", AB, subject="b", failure="gone"),
    ]
    assert verdict(samples, "snapshot tokens, all pages < leanest peer (whole").limit == 180


def test_an_action_is_compared_with_the_fastest_peer_and_with_raw_cdp() -> None:
    samples = [Sample("fill", name, ms=ms) for name, ms in ((US, 50), (RAW, 20), (AB, 60), (PW, 90))]
    assert verdict(samples, "time of fill < every peer").met is True
    assert verdict(samples, "time of fill ≤ 1.5").limit == 30
    assert verdict(samples, "time of fill ≤ 1.5").met is False


def test_raw_cdp_is_the_limit_only_for_comparable_operations() -> None:
    samples = [Sample(what, name, ms=20) for what in ("type", "type and see") for name in (US, RAW, AB)]
    targets = [v.target for v in evaluate_targets(summarise(samples)) if v.target.startswith("time of type")]
    assert targets == [
        "time of type < every peer",
        "time of type and see < every peer",
        "time of type and see ≤ 1.5 × raw CDP",
    ]


def test_each_verdict_is_counted_once() -> None:
    verdicts = [Verdict("a", "", 1, 2), Verdict("b", "", 3, 2), Verdict("c", "", None, 2), Verdict("d", "", 2, 2)]
    assert count_by_state(verdicts) == {"met": 2, "not met": 1, "not measured": 1}
