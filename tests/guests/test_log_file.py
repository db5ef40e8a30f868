"""A guest's log: bounded, redacted, and one entry per line."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.guests import log_file
from browser_pilot.guests.log_file import GuestLog


def test_each_line_has_a_level_and_secrets_are_redacted(tmp_path: Path) -> None:
    log = GuestLog(tmp_path / "logs" / "a.log", redact=lambda text: text.replace("hunter2", "***"))
    log.write("warning", "first hunter2\nsecond\x1b[31m")
    log.write("shout", "x" * 10_000)
    lines = (tmp_path / "logs" / "a.log").read_text(encoding="utf-8").splitlines()
    assert lines[0].endswith("warning first ***")
    assert "\x1b" not in lines[1]
    assert " info " in lines[2]
    assert len(lines[2]) < 5_000


def test_a_full_log_is_rotated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "MAX_BYTES", 200)
    log = GuestLog(tmp_path / "a.log")
    for number in range(20):
        log.write("info", f"line {number}")
    assert {path.name for path in tmp_path.iterdir()} == {"a.log", "a.log.1"}
    assert (tmp_path / "a.log").stat().st_size <= 200
    assert (tmp_path / "a.log").read_text(encoding="utf-8").endswith("line 19\n")
