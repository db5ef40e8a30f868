"""All adapters of a home share one hub: it is found, started or replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import psutil

from browser_pilot import __version__
from browser_pilot.hub_discovery.runtime_file import log_path, read_runtime, runtime_path

from .conftest import INITIALIZE, StartAdapter, StartHub, call, started_hubs
from .fake_hub import TOKEN


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_the_first_request_starts_a_hub_with_a_private_log(home: Path, start_adapter: StartAdapter) -> None:
    response = start_adapter().ask(call(1, "pid"))
    (pid,) = started_hubs(home)
    assert response["result"]["structuredContent"]["pid"] == pid
    assert os.getsid(pid) == pid
    # Python imports from the current folder first, and a client's may contain anything.
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
        response = adapter.receive()
        assert (response["id"], response["result"]["structuredContent"]) == (number, {"n": number})
    assert len(started_hubs(home)) == 1


def test_a_stale_runtime_file_does_not_prevent_a_new_hub(
    home: Path, start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    start_hub().stop()
    assert runtime_path(home).exists()
    assert start_adapter().ask(call(1, "echo"))["id"] == 1
    assert len(started_hubs(home)) == 1


def test_the_hubs_start_note_is_written_to_standard_error(start_adapter: StartAdapter) -> None:
    adapter = start_adapter(environ={"FAKE_HUB": "notes"})
    adapter.ask(call(1, "echo"))
    assert "port 8777 is taken by another program" in adapter.stderr()


def test_a_failed_start_is_reported_and_retried_with_the_next_request(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter(environ={"FAKE_HUB": "fails"})
    error = adapter.ask(INITIALIZE)["error"]
    assert error["message"] == "hub.port is 'x'. Use a number."
    assert (error["data"]["code"], error["data"]["retryable"]) == ("INVALID_SETTINGS", False)
    result = adapter.ask(call(1, "echo"))["result"]
    assert result["isError"] is True
    assert "INVALID_SETTINGS" in result["content"][0]["text"]
    assert "retryable: false" in result["content"][0]["text"]
    assert len(started_hubs(home)) == 2
    assert adapter.stderr().count("hub.port") == 1


def test_a_start_without_a_message_points_to_the_doctor_and_the_log(home: Path, start_adapter: StartAdapter) -> None:
    message = start_adapter(environ={"FAKE_HUB": "ends"}).ask(INITIALIZE)["error"]["message"]
    assert "browser-pilot doctor" in message
    assert str(log_path(home)) in message
    assert "the fake hub ends at once" in log_path(home).read_text()


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
    assert "Replaced the idle hub of version 0.0.1." in second.stderr()


def test_a_hub_of_another_version_in_use_is_kept(home: Path, start_adapter: StartAdapter) -> None:
    first = start_adapter(environ={"FAKE_HUB_VERSION": "0.0.1"})
    first.ask(call(1, "echo"))
    second = start_adapter()
    second.ask(call(1, "echo"))
    assert len(started_hubs(home)) == 1
    assert f"version 0.0.1; this is version {__version__}" in second.stderr()
    assert first.ask(call(2, "echo"))["id"] == 2


def test_a_hub_of_another_version_started_by_hand_is_kept(
    home: Path, start_hub: StartHub, start_adapter: StartAdapter
) -> None:
    start_hub(version="0.0.1", detached=False)
    start_adapter().ask(call(1, "echo"))
    assert started_hubs(home) == []


def test_the_token_appears_only_in_the_private_file(home: Path, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(call(1, "echo"))
    adapter.ask(call(2, "die"))
    info = read_runtime(home)
    assert info is not None and info.token == TOKEN
    assert TOKEN not in repr(info)
    process = Path("/proc") / str(adapter.process.pid)
    if process.exists():
        assert TOKEN.encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    assert TOKEN not in adapter.stderr() + log_path(home).read_text()
