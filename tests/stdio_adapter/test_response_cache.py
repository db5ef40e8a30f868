"""A client's first requests are answered while the hub still starts, with what the last hub responded."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.json_types import JsonObject

from .conftest import INITIALIZE, INITIALIZED, AdapterProcess, StartAdapter, StartHub, call, started_hubs
from .fake_hub import FakeHub

LIST: JsonObject = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}
PING: JsonObject = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}
SLOW_HUB = {"FAKE_HUB": "waits"}


def begin(adapter: AdapterProcess) -> tuple[JsonObject, JsonObject]:
    """What a client does first; the results that it gets."""
    initialized = adapter.ask(INITIALIZE)
    adapter.send(INITIALIZED)
    return initialized["result"], adapter.ask(LIST)["result"]


@pytest.fixture
def first(home: Path, start_adapter: StartAdapter) -> tuple[JsonObject, JsonObject]:
    """What the last hub responded; that hub is gone."""
    adapter = start_adapter()
    results = begin(adapter)
    adapter.finish()
    (pid,) = started_hubs(home)
    os.kill(pid, signal.SIGKILL)
    os.mkfifo(home / "go")
    return results


def finish_start(home: Path) -> None:
    (home / "go").write_bytes(b"")


def heard(adapter: AdapterProcess) -> list[Any]:
    return adapter.ask(call(9, "heard"))["result"]["structuredContent"]["methods"]


def test_the_first_requests_do_not_wait_for_the_hub(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject]
) -> None:
    adapter = start_adapter(environ=SLOW_HUB)
    assert begin(adapter) == first
    assert adapter.ask(PING) == {"jsonrpc": "2.0", "id": "ping", "result": {}}
    adapter.send(call(9, "heard"))
    finish_start(home)
    methods = adapter.receive()["result"]["structuredContent"]["methods"]
    # The hub gets everything that a client of its own would send, in that order, and the list is checked.
    assert methods == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    assert len(started_hubs(home)) == 2


def test_a_changed_list_is_announced_and_kept(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject]
) -> None:
    adapter = start_adapter(environ={**SLOW_HUB, "FAKE_HUB_TOOL": "other"})
    assert begin(adapter) == first
    finish_start(home)
    assert adapter.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    listed = adapter.ask(LIST)["result"]
    assert listed["tools"][0]["name"] == "other"
    adapter.finish()
    os.kill(started_hubs(home)[-1], signal.SIGKILL)
    assert begin(start_adapter(environ=SLOW_HUB)) == (first[0], listed)


def test_an_unchanged_list_is_not_announced(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject]
) -> None:
    adapter = start_adapter(environ=SLOW_HUB)
    begin(adapter)
    finish_start(home)
    assert heard(adapter)[-1] == "tools/call"
    assert adapter.ask(PING)["id"] == "ping"


def test_a_client_that_is_initialized_late_is_so_for_the_hub_too(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject]
) -> None:
    adapter = start_adapter()
    adapter.ask(INITIALIZE)
    assert heard(adapter) == ["initialize", "tools/call"]
    adapter.send(INITIALIZED)
    assert heard(adapter) == ["initialize", "tools/call", "notifications/initialized", "tools/call"]


def test_a_running_hub_responds_itself(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject], start_hub: StartHub
) -> None:
    hub = start_hub()
    adapter = start_adapter()
    begin(adapter)
    assert [message["id"] for message in hub.messages() if "id" in message] == [INITIALIZE["id"], LIST["id"]]


@pytest.mark.parametrize("difference", ["options", "client", "broken", "forged"])
def test_nothing_is_taken_from_another_client_or_a_broken_file(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject], difference: str
) -> None:
    options = ("--tools", "full") if difference == "options" else ()
    (file,) = (home / "adapter-cache").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    if difference == "broken":
        file.write_bytes(b'{"key": \xff')
    elif difference == "forged":
        file.write_text(json.dumps({"key": "of another client", "results": {"initialize": {}}}))
    info = {"name": "another" if difference == "client" else "test", "version": "1"}
    adapter = start_adapter(*options, environ=SLOW_HUB)
    adapter.send({**INITIALIZE, "params": {**INITIALIZE["params"], "clientInfo": info}})
    finish_start(home)
    assert adapter.receive()["result"] == first[0]
    # The hub itself got the client's request, not a replay.
    assert heard(adapter) == ["initialize", "tools/call"]
    assert "initialize-replay" not in adapter.stderr()


def test_a_hub_that_cannot_start_is_reported_by_the_first_call(
    home: Path, start_adapter: StartAdapter, first: tuple[JsonObject, JsonObject]
) -> None:
    adapter = start_adapter(environ={"FAKE_HUB": "fails"})
    assert begin(adapter) == first
    result = adapter.ask(call(1, "echo"))["result"]
    assert result["isError"] is True
    assert "INVALID_SETTINGS" in result["content"][0]["text"]


def test_a_hub_that_is_lost_later_is_replaced_without_the_cache(
    home: Path, start_adapter: StartAdapter, hub: FakeHub
) -> None:
    adapter = start_adapter()
    begin(adapter)
    hub.stop()
    assert adapter.ask(LIST)["result"]["tools"][0]["name"] == "echo"
    assert heard(adapter) == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
