"""Metrics: correct, in the Prometheus text format, and of one hub only."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from browser_pilot.metrics.prometheus import Metrics


def samples(metrics: Metrics) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for family in text_string_to_metric_families(metrics.render().decode()):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[sample.name, labels] = sample.value
    return found


def test_calls_decisions_and_approvals_are_counted() -> None:
    metrics = Metrics()
    metrics.count_call("browser_click", status="ok", duration_ms=40, tokens=120)
    metrics.count_call("browser_click", status="error", duration_ms=3_000, error="TIMEOUT")
    metrics.count_decision("ask", "high")
    metrics.count_approval("once", "side panel")
    metrics.count_approval("once", "a name that someone thought of")
    sessions = 3
    metrics.add_gauge("sessions", "Open sessions.", lambda: sessions)
    sessions = 4
    found = samples(metrics)
    assert found["browser_pilot_calls_total", "status=ok,tool=browser_click"] == 1
    assert found["browser_pilot_call_seconds_count", "tool=browser_click"] == 2
    assert found["browser_pilot_call_seconds_sum", "tool=browser_click"] == 3.04
    assert found["browser_pilot_call_seconds_bucket", "le=0.05,tool=browser_click"] == 1
    assert found["browser_pilot_tokens_returned_total", "tool=browser_click"] == 120
    assert found["browser_pilot_errors_total", "code=TIMEOUT"] == 1
    assert found["browser_pilot_decisions_total", "decision=ask,risk=high"] == 1
    assert found["browser_pilot_approvals_total", "answer=once,door=side panel"] == 1
    assert found["browser_pilot_approvals_total", "answer=once,door=other"] == 1
    assert found["browser_pilot_sessions", ""] == 4


def test_two_hubs_in_one_process_do_not_mix() -> None:
    first, second = Metrics(), Metrics()
    first.count_decision("allow", "low")
    assert ("browser_pilot_decisions_total", "decision=allow,risk=low") not in samples(second)
