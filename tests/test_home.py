"""The home: its location and its permissions."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import platformdirs
import pytest

from browser_pilot.home import locate_home, make_private_folder, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_default_home_is_that_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BROWSER_PILOT_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert locate_home() == platformdirs.user_data_path("browser-pilot", appauthor=False)


def test_xdg_data_home_sets_the_home_as_in_platformdirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BROWSER_PILOT_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert locate_home() == platformdirs.user_data_path("browser-pilot", appauthor=False)


def test_browser_pilot_home_sets_the_home_and_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate_home({"BROWSER_PILOT_HOME": "here"}) == tmp_path / "here"
    assert locate_home({"BROWSER_PILOT_HOME": "~/there"}) == Path.home() / "there"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_folders_and_files_are_private_with_any_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        folder = make_private_folder(tmp_path / "a" / "b")
        write_private(folder / "secret", "x")
    finally:
        os.umask(old)
    assert mode(folder) == 0o700
    assert mode(folder / "secret") == 0o600


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_an_existing_folder_is_made_private(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    assert mode(make_private_folder(folder)) == 0o700


def test_writes_are_atomic_for_readers(tmp_path: Path) -> None:
    path = tmp_path / "home" / "file"
    texts = {"a" * 100_000, "b" * 100_000}
    write_private(path, "a" * 100_000)
    seen: set[str] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(200):
        write_private(path, "ab"[number % 2] * 100_000)
    done.set()
    reader.join()
    assert seen <= texts
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
