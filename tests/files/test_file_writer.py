"""A file appears under its name complete, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from browser_pilot.errors import DownloadFailed
from browser_pilot.files.file_writer import PartialFile, remove_partial_files

NAMES = ("1706284800123.png", "1706284800124.png")


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def part_in(folder: Path, *, most_bytes: int = 1 << 20) -> PartialFile:
    return PartialFile(folder, max_bytes=most_bytes)


def finish(part: PartialFile, *names: str) -> Path:
    return part.finish(names or NAMES, source="https://a.test/x.png", referrer="https://a.test/").path


def test_a_file_is_saved_under_its_name_with_its_digest(tmp_path: Path) -> None:
    part = part_in(tmp_path / "new" / "folder")
    part.write(b"hello ")
    part.write(b"world")
    saved = part.finish(NAMES, source="https://a.test/x.png", referrer="")
    assert saved.path == tmp_path / "new" / "folder" / NAMES[0]
    assert saved.path.read_bytes() == b"hello world"
    assert (saved.size, saved.sha256) == (11, hashlib.sha256(b"hello world").hexdigest())
    assert files_in(saved.path.parent) == [NAMES[0]]


def test_an_empty_file_is_saved(tmp_path: Path) -> None:
    assert finish(part_in(tmp_path)).read_bytes() == b""


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).write_bytes(b"mine")
    part = part_in(tmp_path)
    part.write(b"theirs")
    assert finish(part).name == NAMES[1]
    assert (tmp_path / NAMES[0]).read_bytes() == b"mine"


def test_a_symlink_with_the_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).symlink_to(tmp_path / "victim")
    part = part_in(tmp_path)
    part.write(b"theirs")
    assert finish(part).name == NAMES[1]
    assert not (tmp_path / "victim").exists()


def test_without_hard_links_no_file_is_overwritten_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / NAMES[0]).write_bytes(b"mine")
    part = part_in(tmp_path)
    part.write(b"theirs")
    assert finish(part).name == NAMES[1]
    assert files_in(tmp_path) == list(NAMES)


def test_a_discarded_file_leaves_nothing(tmp_path: Path) -> None:
    part = part_in(tmp_path)
    part.write(b"half")
    assert len(files_in(tmp_path)) == 1
    part.discard()
    part.discard()
    assert files_in(tmp_path) == []


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    part = part_in(tmp_path, most_bytes=1 << 20)
    part.write(b"x" * (1 << 20))
    with pytest.raises(DownloadFailed, match="too large: more than 1 MB") as caught:
        part.write(b"x")
    assert caught.value.metadata["reason"] == "too_large"
    part.discard()


def test_a_file_is_not_executable_and_private_to_its_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = finish(part_in(tmp_path))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_over_the_file_size_limit_reports_a_full_disk_and_leaves_nothing(tmp_path: Path) -> None:
    """The limit on the size of files makes the kernel refuse in the middle of a write, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    part = part_in(tmp_path, most_bytes=1 << 30)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with pytest.raises(DownloadFailed, match="disk is full") as caught:
            part.write(b"x" * (1 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert caught.value.metadata["reason"] == "disk_full"
    part.discard()
    assert files_in(tmp_path) == []


def test_a_full_device_is_reported_as_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/full refuses every write with the error of a full disk."""
    real = os.open

    def open_full(path: Path, flags: int, mode: int) -> int:
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(os, "open", open_full)
    with pytest.raises(DownloadFailed, match="disk is full"):
        part_in(tmp_path).write(b"x")


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DownloadFailed, match="could not be saved in") as caught:
        part_in(tmp_path / "file").write(b"x")
    assert caught.value.metadata["reason"] == "not_writable"


def test_a_killed_writer_leaves_only_a_partial_file_that_is_removed_later(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from browser_pilot.files.file_writer import PartialFile\n"
        "part = PartialFile(Path(sys.argv[1]), max_bytes=99); part.write(b'half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    (tmp_path / "kept.png").write_bytes(b"x")
    assert len(files_in(tmp_path)) == 2
    assert remove_partial_files(tmp_path) == 1
    assert files_in(tmp_path) == ["kept.png"]
    assert remove_partial_files(tmp_path / "none") == 0
