"""The health report: its status, and what is public."""

from __future__ import annotations

from browser_pilot.http_api.health import PartHealth, health_report, without_descriptions


def test_a_part_with_a_problem_makes_the_hub_degraded_and_its_description_is_not_public() -> None:
    parts = [PartHealth("log", "problem", "/home/ann is full"), PartHealth("egress", "off", "not in use")]
    full = health_report({"version": "1"}, parts)
    assert full["status"] == "degraded"
    assert without_descriptions(full) == {
        "status": "degraded",
        "version": "1",
        "parts": {"log": "problem", "egress": "off"},
    }
    assert health_report({}, parts[1:])["status"] == "ok"
