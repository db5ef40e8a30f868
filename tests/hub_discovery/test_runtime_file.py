"""The runtime file and the lock around starting a hub."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from browser_pilot.hub_start import wait_for_exit
from browser_pilot.runtime import RuntimeInfo, hub_lock, read_runtime, remove_runtime, runtime_path, write_runtime

INFO = RuntimeInfo(
    pid=42, started=1.5, version="1.2.3", host="127.0.0.1", port=8777, socket="/run/hub.sock", token="t", detached=True
)


def test_what_is_written_is_read_back_and_private(tmp_path: Path) -> None:
    write_runtime(tmp_path / "home", INFO)
    assert read_runtime(tmp_path / "home") == INFO
    path = runtime_path(tmp_path / "home")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_no_file_is_no_hub(tmp_path: Path) -> None:
    assert read_runtime(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "[" * 100_000, "\ud800", "\x00"])
def test_a_file_that_makes_no_sense_is_no_hub(tmp_path: Path, text: str) -> None:
    runtime_path(tmp_path).parent.mkdir()
    runtime_path(tmp_path).write_text(text, encoding="utf-8", errors="surrogatepass")
    assert read_runtime(tmp_path) is None


@pytest.mark.parametrize("name", ["pid", "started", "version", "host", "port", "socket", "token", "detached"])
@pytest.mark.parametrize("wrong", [None, [], {"a": 1}])
def test_a_field_of_the_wrong_kind_is_no_hub(tmp_path: Path, name: str, wrong: object) -> None:
    write_runtime(tmp_path, INFO)
    fields = json.loads(runtime_path(tmp_path).read_text())
    runtime_path(tmp_path).write_text(json.dumps({**fields, name: wrong}))
    assert read_runtime(tmp_path) is None


def test_true_is_no_port(tmp_path: Path) -> None:
    write_runtime(tmp_path, INFO)
    runtime_path(tmp_path).write_text(runtime_path(tmp_path).read_text().replace("8777", "true"))
    assert read_runtime(tmp_path) is None


def test_only_its_own_file_is_removed(tmp_path: Path) -> None:
    write_runtime(tmp_path, INFO)
    remove_runtime(tmp_path, INFO.pid + 1)
    assert read_runtime(tmp_path) == INFO
    remove_runtime(tmp_path, INFO.pid)
    remove_runtime(tmp_path, INFO.pid)
    assert not runtime_path(tmp_path).exists()


def test_the_lock_admits_one_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def enter(number: int) -> None:
        with hub_lock(tmp_path, timeout_seconds=30):
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [1] * 20


def test_who_waits_too_long_for_the_lock_gives_up_and_leaves_it_usable(tmp_path: Path) -> None:
    with hub_lock(tmp_path), pytest.raises(TimeoutError), hub_lock(tmp_path, timeout_seconds=0.05):
        pass
    with hub_lock(tmp_path, timeout_seconds=10):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from browser_pilot.runtime import hub_lock\n"
        "with hub_lock(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(TimeoutError), hub_lock(tmp_path, timeout_seconds=0.05):
            pass
        holder.kill()
        with hub_lock(tmp_path, timeout_seconds=10):
            pass


def test_the_end_of_a_process_is_seen_when_it_comes() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert not wait_for_exit(process.pid, timeout_seconds=0.05)
        assert process.stdin is not None
        process.stdin.close()
        began = time.monotonic()
        assert wait_for_exit(process.pid, timeout_seconds=20)
        assert time.monotonic() - began < 10
    assert wait_for_exit(process.pid, timeout_seconds=1)
