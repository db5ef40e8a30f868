"""Health checks at `/health` and `/api/health`, and the metrics at `/metrics`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from browser_pilot.mcp_server.call_metrics import FinishedCall, counted
from browser_pilot.metrics.prometheus import Metrics
from tests.clients import call, fail, http_client, stdio_adapter
from tests.hub_process import HubProcess, running_hub

PARTS = {"hub", "browsers", "policy", "log", "approvals", "egress", "secrets"}


def samples(hub: HubProcess) -> dict[tuple[str, str], float]:
    with hub.http() as http:
        response = http.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    return {
        (sample.name.removeprefix("browser_pilot_"), ",".join(sorted(sample.labels.values()))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


async def test_calls_are_counted_with_errors_durations_and_tokens(home: Path) -> None:
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_tabs")
            assert (await fail(client, "browser_fly"))["error"] == "INVALID_ARGUMENT"
        async with stdio_adapter(home) as client:
            assert (await fail(client, "browser_snapshot"))["error"] == "NO_TAB"
            found = samples(hub)
        assert found["calls_total", "browser_tabs,ok"] == 1
        assert found["calls_total", "error,unknown"] == 1
        assert found["calls_total", "browser_snapshot,error"] == 1
        assert found["errors_total", "INVALID_ARGUMENT"] == 1
        assert found["errors_total", "NO_TAB"] == 1
        assert found["call_seconds_count", "browser_tabs"] == 1
        assert found["tokens_returned_total", "browser_tabs"] > 0
        assert found["clients", ""] == 1
        assert found["sessions", ""] >= 1
        assert found["open_questions", ""] == 0
        assert found["memory_bytes", ""] > 10_000_000
        with hub.http() as http:
            assert hub.info.token not in http.get("/metrics").text


def test_every_part_is_checked_and_details_need_the_token(hub: HubProcess) -> None:
    with hub.http() as http:
        brief, full = http.get("/health").json(), http.get("/api/health").json()
    assert brief["parts"].keys() == full["parts"].keys() == PARTS
    assert set(brief["parts"].values()) <= {"ok", "off"}
    assert all(part["says"] for part in full["parts"].values())
    assert str(hub.home) not in str(brief)


async def test_a_cancelled_call_is_counted_as_such() -> None:
    metrics = Metrics()

    async def forever() -> FinishedCall:
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(counted(metrics, "browser_click", forever()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert b'calls_total{status="cancelled",tool="browser_click"} 1.0' in metrics.render()
