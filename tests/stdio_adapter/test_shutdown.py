"""The adapter exits with its client, promptly and without output, and never hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import INITIALIZE, StartAdapter, call
from .fake_hub import FakeHub

PROMPT_SECONDS = 3.0


def test_the_end_of_input_waits_for_open_requests(home: Path) -> None:
    lines = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}'
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("launch.py"))],
        input=lines,
        capture_output=True,
        env={**os.environ, "BROWSER_PILOT_HOME": str(home)},
        timeout=100,
        check=True,
    )
    assert done.stdout == b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n{"jsonrpc": "2.0", "id": 2, "result": {}}\n'
    assert done.stderr == b""


def test_the_end_of_input_waits_at_most_five_seconds(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(call(1, "hang"))
    hub.wait_until(lambda: len(hub.received) == 1)
    began = time.monotonic()
    assert adapter.finish() == 0
    assert 4.5 < time.monotonic() - began < 5 + PROMPT_SECONDS


def test_without_open_requests_the_adapter_exits_at_once(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.ask(call(1, "echo"))
    began = time.monotonic()
    assert adapter.finish() == 0
    assert time.monotonic() - began < PROMPT_SECONDS
    assert adapter.stderr() == ""


def test_an_open_subscription_is_not_waited_for(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen"})
    hub.wait_until(lambda: len(hub.received) == 1)
    began = time.monotonic()
    assert adapter.finish() == 0
    assert time.monotonic() - began < PROMPT_SECONDS


def test_a_hub_lost_after_the_end_of_input_still_yields_a_response(hub: FakeHub, start_adapter: StartAdapter) -> None:
    adapter = start_adapter()
    adapter.send(call(1, "hang"))
    adapter.stdin.close()
    hub.wait_until(lambda: len(hub.received) == 1)
    hub.stop()
    assert adapter.receive()["id"] == 1
    assert adapter.process.wait(PROMPT_SECONDS) == 0


def test_without_input_no_hub_is_started(home: Path, start_adapter: StartAdapter) -> None:
    assert start_adapter().finish() == 0
    assert not home.exists()


def test_a_client_that_closes_its_pipe_ends_the_adapter(hub: FakeHub, home: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("launch.py"))]
    environ = {**os.environ, "BROWSER_PILOT_HOME": str(home)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


def test_non_blocking_pipes_work(hub: FakeHub, home: Path) -> None:
    ours_in, its_out = os.pipe()
    its_in, ours_out = os.pipe()
    os.set_blocking(its_in, False)
    os.set_blocking(its_out, False)
    command = [sys.executable, str(Path(__file__).with_name("launch.py"))]
    environ = {**os.environ, "BROWSER_PILOT_HOME": str(home)}
    with (
        subprocess.Popen(command, stdin=its_in, stdout=its_out, env=environ) as process,
        os.fdopen(ours_out, "wb") as writer,
        os.fdopen(ours_in, "rb") as reader,
    ):
        os.close(its_in)
        os.close(its_out)
        text = "x" * 1_000_000
        writer.write(json.dumps(call(1, "echo", text=text)).encode() + b"\n")
        writer.close()
        hub.wait_until(lambda: len(hub.received) == 1)
        assert json.loads(reader.readline())["result"]["structuredContent"]["text"] == text
        assert process.wait(10) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_adapter_without_output(
    hub: FakeHub, start_adapter: StartAdapter, number: signal.Signals
) -> None:
    adapter = start_adapter()
    adapter.ask(INITIALIZE)
    adapter.send(call(1, "hang"))
    hub.wait_until(lambda: len(hub.received) == 2)
    adapter.process.send_signal(number)
    assert adapter.process.wait(PROMPT_SECONDS) == -number
    assert adapter.stderr() == ""
    hub.wait_until(lambda: hub.clients == 0)
