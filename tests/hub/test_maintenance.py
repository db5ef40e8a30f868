"""Maintenance rounds: which jobs run when, how the rounds end, and when an idle hub stops."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from browser_pilot.config.settings import HubSettings, Settings
from browser_pilot.hub.maintenance import IdleShutdown, Job, Maintenance
from tests.config.fixed_config import FixedConfig
from tests.waiting import eventually

TEN_MINUTES = FixedConfig(Settings(hub=HubSettings(idle_minutes=10)))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Recorder:
    """Jobs that only record that they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def job(self, name: str, interval_seconds: float = 0.0) -> Job:
        async def run() -> None:
            self.ran.append(name)

        return Job(name, run, interval_seconds)


async def test_jobs_run_in_order_and_those_with_an_interval_not_before_it_is_over() -> None:
    clock, recorder = Clock(), Recorder()
    jobs = [recorder.job("each"), recorder.job("hourly", 3600), recorder.job("last")]
    maintenance = Maintenance(jobs, wake=asyncio.Event(), config=TEN_MINUTES, clock=clock)
    rounds: list[list[str]] = []
    for seconds in (0, 30, 3569, 1, 3599):
        clock.now += seconds
        await maintenance.run_due()
        rounds.append(recorder.ran)
        recorder.ran = []
    with_hourly, without = ["each", "hourly", "last"], ["each", "last"]
    assert rounds == [with_hourly, without, without, with_hourly, without]


async def test_a_round_starts_when_a_client_connects_or_leaves() -> None:
    wake, recorder = asyncio.Event(), Recorder()
    running = asyncio.create_task(Maintenance([recorder.job("a")], wake=wake, config=TEN_MINUTES).run())
    await asyncio.sleep(0)
    for count in (1, 2):
        assert len(recorder.ran) == count - 1
        wake.set()
        await eventually(lambda count=count: len(recorder.ran) == count)
    running.cancel()


async def test_rounds_are_at_least_as_frequent_as_the_idle_time() -> None:
    recorder = Recorder()
    config = FixedConfig(Settings(hub=HubSettings(idle_minutes=0.001)))
    running = asyncio.create_task(Maintenance([recorder.job("a")], wake=asyncio.Event(), config=config).run())
    await eventually(lambda: len(recorder.ran) >= 2)
    running.cancel()


async def test_a_cancellation_together_with_a_client_that_leaves_ends_the_rounds() -> None:
    wake, recorder = asyncio.Event(), Recorder()
    running = asyncio.create_task(Maintenance([recorder.job("a")], wake=wake, config=TEN_MINUTES).run())
    for _ in range(5):
        await asyncio.sleep(0)  # by now it waits for the event
    wake.set()
    await asyncio.sleep(0)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=5)
    assert done == {running} and running.cancelled()


async def test_a_job_that_fails_is_named_in_the_traceback() -> None:
    async def fail() -> None:
        raise OSError("disk full")

    maintenance = Maintenance([Job("remove old files", fail)], wake=asyncio.Event(), config=TEN_MINUTES)
    with pytest.raises(OSError, match="disk full") as caught:
        await maintenance.run_due()
    assert "remove old files" in "".join(traceback.format_exception(caught.value))


async def test_a_hub_stops_after_its_idle_time_without_users_and_not_before() -> None:
    clock, users, stops = Clock(), ["a client"], list[float]()
    idle = IdleShutdown(
        config=TEN_MINUTES, in_use=lambda: bool(users), stop=lambda: stops.append(clock.now), clock=clock
    )
    clock.now += 3600
    await idle.check()
    users.clear()
    clock.now += 599
    await idle.check()
    assert stops == []
    clock.now += 1
    await idle.check()
    assert stops == [clock.now]


async def test_a_hub_that_was_never_used_stops_too() -> None:
    clock, stops = Clock(), list[float]()
    idle = IdleShutdown(config=TEN_MINUTES, in_use=lambda: False, stop=lambda: stops.append(clock.now), clock=clock)
    await idle.check()
    assert stops == []
    clock.now += 600
    await idle.check()
    assert stops
