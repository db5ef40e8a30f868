"""One hub for all: found, started or replaced."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import psutil
import pytest

from browser_pilot import __version__, hub_start
from browser_pilot.errors import HubUnavailable
from browser_pilot.runtime import log_path, read_runtime, runtime_path

from .conftest import INITIALIZE, StartAdapter, StartHub, call, started_hubs
from .fake_hub import TOKEN


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_the_first_request_starts_a_hub_with_a_private_log(home: Path, start_adapter: StartAdapter) -> None:
    answer = start_adapter().ask(call(1, "pid"))
    (pid,) = started_hubs(home)
    assert answer["result"]["structuredContent"]["pid"] == pid
    assert os.getsid(pid) == pid
    # Python imports from the current folder first, and a client's may hold anything.
    assert Path(psutil.Process(pid).cwd()) == home.resolve()
    assert stat.S_IMODE(log_path(home).stat().st_mode) == 0o600
    assert stat.S_IMODE(log_path(home).parent.stat().st_mode) == 0o700


def test_the_hub_outlives_the_adapter_that_started_it(start_adapter: StartAdapter) -> None:
    first = start_adapter()
    pid = first.ask(call(1, "pid"))["result"]["structuredContent"]["pid"]
    assert first.finish() == 0
    assert start_adapter().ask(call(1, "pid"))["result"]["structuredContent"]["pid"] == pid


def test_twenty_adapters_at_once_start_one_hub(home: Path, start_adapter: StartAdapter) -> None:
    adapters = [start_adapter() for _ in range(20)]
    for number, adapter in enumerate(adapters):
        adapter.send(call(number, "echo", n=number))
    for number, adapter in enumerate(adapters):
        answer = adapter.receive()
        assert (answer["id"], answer["result"]["structuredContent"]) == (number, {"n": number})
    assert len(started_hubs(home)) == 1


def test_a_runtime_file_that_a_dead_hub_left_is_no_obstacle(
    home: Path, start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    start_hub().stop()
    assert runtime_path(home).exists()
    assert start_adapter().ask(call(1, "echo"))["id"] == 1
    assert len(started_hubs(home)) == 1


def test_a_hubs_note_is_told_on_standard_error(start_adapter: StartAdapter) -> None:
    adapter = start_adapter(environ={"FAKE_HUB": "notes"})
    adapter.ask(call(1, "echo"))
    assert "port 8777 is taken by another program" in adapter.said()


def test_a_hub_that_cannot_start_says_why_and_is_tried_again_at_the_next_request(
    home: Path, start_adapter: StartAdapter
) -> None:
    adapter = start_adapter(environ={"FAKE_HUB": "fails"})
    error = adapter.ask(INITIALIZE)["error"]
    assert error["message"] == "hub.port is 'x'. Use a number."
    assert error["data"]["cause"] == "INVALID_SETTINGS"
    result = adapter.ask(call(1, "echo"))["result"]
    assert result["isError"] is True
    assert "HUB_UNAVAILABLE" in result["content"][0]["text"]
    assert len(started_hubs(home)) == 2
    assert adapter.said().count("hub.port") == 1


def test_a_hub_that_ends_without_a_word_points_at_the_doctor_and_the_log(
    home: Path, start_adapter: StartAdapter
) -> None:
    message = start_adapter(environ={"FAKE_HUB": "ends"}).ask(INITIALIZE)["error"]["message"]
    assert "browser-pilot doctor" in message
    assert str(log_path(home)) in message
    assert "the fake hub ends at once" in log_path(home).read_text()


def test_a_hub_that_is_never_ready_is_ended(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    pid_file = home.parent / "pid"
    code = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    monkeypatch.setattr(hub_start, "HUB_COMMAND", (sys.executable, "-c", code))
    with pytest.raises(HubUnavailable, match="not ready within 3 seconds"):
        hub_start.start_hub(home, timeout_seconds=3)
    assert hub_start.wait_for_exit(int(pid_file.read_text()), timeout_seconds=10)


def test_a_home_that_cannot_be_written_is_reported(home: Path, start_adapter: StartAdapter) -> None:
    home.write_text("a file, not a folder")
    assert "browser-pilot doctor" in start_adapter().ask(INITIALIZE)["error"]["message"]


def test_an_idle_hub_of_another_version_is_replaced(home: Path, start_adapter: StartAdapter) -> None:
    first = start_adapter(environ={"FAKE_HUB_VERSION": "0.0.1"})
    first.ask(call(1, "echo"))
    assert first.finish() == 0
    second = start_adapter()
    new = second.ask(call(1, "pid"))["result"]["structuredContent"]["pid"]
    old, newest = started_hubs(home)
    assert new == newest
    assert not is_alive(old)
    assert "Replaced the idle hub of version 0.0.1." in second.said()


def test_a_hub_of_another_version_that_others_use_is_kept(home: Path, start_adapter: StartAdapter) -> None:
    first = start_adapter(environ={"FAKE_HUB_VERSION": "0.0.1"})
    first.ask(call(1, "echo"))
    second = start_adapter()
    second.ask(call(1, "echo"))
    assert len(started_hubs(home)) == 1
    assert f"version 0.0.1; this is version {__version__}" in second.said()
    assert first.ask(call(2, "echo"))["id"] == 2


def test_a_hub_of_another_version_that_a_person_started_is_kept(
    home: Path, start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    start_hub(version="0.0.1", detached=False)
    start_adapter().ask(call(1, "echo"))
    assert started_hubs(home) == []


def test_the_token_is_nowhere_but_in_the_private_file(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(call(1, "echo"))
    adapter.ask(call(2, "die"))
    info = read_runtime(home)
    assert info is not None and info.token == TOKEN
    assert TOKEN not in repr(info)
    process = Path("/proc") / str(adapter.process.pid)
    if process.exists():
        assert TOKEN.encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    assert TOKEN not in adapter.said() + log_path(home).read_text()
