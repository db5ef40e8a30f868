"""Which renderers the watchdog lowers in priority, and which one it blames for a browser that does not respond."""

from __future__ import annotations

import subprocess
import sys

from browser_pilot.engines.browser_watchdog import (
    BUSY_SAMPLES,
    BusyRenderers,
    CpuReading,
    is_flooded,
    parse_sample,
    read_cpu,
    worst_renderer,
)


def test_processes_are_read_from_the_browsers_response() -> None:
    sample = parse_sample(
        {
            "processInfo": [
                {"type": "browser", "id": 7, "cpuTime": 3.0},
                {"type": "renderer", "id": 8, "cpuTime": 1.5},
                {"type": "GPU", "id": 9, "cpuTime": 9.0},
            ]
        }
    )
    assert sample.browser == 7
    assert dict(sample.renderers) == {8: 1.5}


def test_a_renderer_is_busy_after_several_busy_samples_in_a_row_and_is_named_once() -> None:
    busy = BusyRenderers()
    assert busy.add({1: 0.0, 2: 0.0}, 1.0) == []
    for sample in range(1, BUSY_SAMPLES):
        assert busy.add({1: 0.9 * sample, 2: 0.1 * sample}, 1.0) == []
    assert busy.add({1: 0.9 * BUSY_SAMPLES, 2: 0.1 * BUSY_SAMPLES}, 1.0) == [1]
    assert busy.add({1: 0.9 * (BUSY_SAMPLES + 1), 2: 0.0}, 1.0) == []


def test_an_idle_sample_in_between_starts_again() -> None:
    busy = BusyRenderers()
    seconds = [0.0]
    for used in [0.9, 0.0] * 5:
        seconds.append(seconds[-1] + used)
    assert [busy.add({1: each}, 1.0) for each in seconds] == [[]] * len(seconds)


def reading(at: float, *, browser: float = 0.0, driver: float = 0.0, **renderers: float) -> CpuReading:
    return CpuReading(at, browser, driver, {int(name[1:]): seconds for name, seconds in renderers.items()})


def test_the_renderer_with_the_most_cpu_time_in_between_is_blamed_if_it_is_much() -> None:
    before = reading(0, r1=100.0, r2=1.0)
    assert worst_renderer(before, reading(5, r1=100.5, r2=4.0)) == 2
    assert worst_renderer(before, reading(5, r1=100.5, r2=1.0, r3=6.0)) == 3
    assert worst_renderer(before, reading(5, r1=100.2, r2=1.1)) is None
    assert worst_renderer(before, reading(5)) is None


def test_a_browser_is_flooded_if_it_or_its_driver_computes_most_of_the_time() -> None:
    before = reading(10, browser=3.0, driver=2.0)
    assert is_flooded(before, reading(15, browser=8.0, driver=2.0))
    assert is_flooded(before, reading(15, browser=3.0, driver=5.0))


def test_a_browser_that_waits_for_a_busy_machine_is_not_flooded() -> None:
    before = reading(10, browser=3.0, driver=2.0)
    assert not is_flooded(before, reading(15, browser=4.0, driver=3.5))


def test_cpu_times_of_processes_that_are_gone_are_zero() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = read_cpu(ended.pid)
    assert (gone.browser, gone.driver, dict(gone.renderers)) == (0.0, 0.0, {})
