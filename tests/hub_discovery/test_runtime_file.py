"""The runtime file: what the hub writes about itself, and who may read and remove it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from browser_pilot.hub_discovery.runtime_file import (
    RuntimeInfo,
    read_runtime,
    remove_runtime,
    runtime_path,
    write_runtime,
)

INFO = RuntimeInfo(
    pid=42, started=1.5, version="1.2.3", host="127.0.0.1", port=8777, socket="/run/hub.sock", token="t", detached=True
)


def test_the_file_round_trips_and_is_private(tmp_path: Path) -> None:
    write_runtime(tmp_path / "home", INFO)
    assert read_runtime(tmp_path / "home") == INFO
    path = runtime_path(tmp_path / "home")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_without_a_file_there_is_no_hub(tmp_path: Path) -> None:
    assert read_runtime(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "[" * 100_000, "\ud800", "\x00"])
def test_an_invalid_file_means_no_hub(tmp_path: Path, text: str) -> None:
    runtime_path(tmp_path).parent.mkdir()
    runtime_path(tmp_path).write_text(text, encoding="utf-8", errors="surrogatepass")
    assert read_runtime(tmp_path) is None


@pytest.mark.parametrize("name", ["pid", "started", "version", "host", "port", "socket", "token", "detached"])
@pytest.mark.parametrize("wrong", [None, [], {"a": 1}])
def test_a_field_of_the_wrong_type_means_no_hub(tmp_path: Path, name: str, wrong: object) -> None:
    write_runtime(tmp_path, INFO)
    fields = json.loads(runtime_path(tmp_path).read_text())
    runtime_path(tmp_path).write_text(json.dumps({**fields, name: wrong}))
    assert read_runtime(tmp_path) is None


def test_true_is_not_accepted_as_a_port(tmp_path: Path) -> None:
    write_runtime(tmp_path, INFO)
    runtime_path(tmp_path).write_text(runtime_path(tmp_path).read_text().replace("8777", "true"))
    assert read_runtime(tmp_path) is None


def test_a_hub_removes_only_its_own_file(tmp_path: Path) -> None:
    write_runtime(tmp_path, INFO)
    remove_runtime(tmp_path, INFO.pid + 1)
    assert read_runtime(tmp_path) == INFO
    remove_runtime(tmp_path, INFO.pid)
    remove_runtime(tmp_path, INFO.pid)
    assert not runtime_path(tmp_path).exists()
