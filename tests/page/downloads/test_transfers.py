"""The client's downloads: how they begin and end, and what may be saved under which name."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from browser_pilot.errors import DownloadBroken, DownloadFailed, InternalError
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.page.downloads import transfers
from browser_pilot.page.downloads.downloadable import FileHead
from browser_pilot.page.downloads.transfers import (
    DownloadList,
    ExecutableFile,
    SaveOptions,
    Transfer,
    classify,
    progress_callback,
    save_names,
)

URL = "https://example.com/file"


def options(*, name: str = "", approved: str = "") -> SaveOptions:
    return SaveOptions(Path(), max_bytes=100, redact=str, name=name, approved_extension=approved)


async def ended(downloads: DownloadList, transfer: Transfer) -> Transfer:
    assert await transfer.wait_ended(5)
    # The list learns of the end in a callback of the task.
    await asyncio.sleep(0)
    return transfer


async def test_a_transfer_that_is_done_has_its_file_and_is_reported() -> None:
    reported: list[Transfer] = []
    downloads = DownloadList(reported.append)
    transfer = downloads.add(URL)

    async def save() -> SavedFile:
        return SavedFile(Path("a.txt"), 1, "")

    downloads.start(transfer, save)
    await ended(downloads, transfer)
    assert (transfer.state, transfer.filename) == ("done", "a.txt") and reported == [transfer]


@pytest.mark.parametrize(
    ("error", "kind"), [(DownloadBroken("cut"), DownloadBroken), (ValueError("bug"), InternalError)]
)
async def test_a_failure_before_the_begin_is_raised(error: Exception, kind: type[Exception]) -> None:
    downloads = DownloadList()
    transfer = downloads.add(URL)

    async def fail() -> SavedFile:
        raise error

    downloads.start(transfer, fail)
    with pytest.raises(kind):
        await transfer.wait_begun()
    assert transfer.state == "failed"


async def test_closing_a_session_cancels_its_running_transfers_only() -> None:
    downloads = DownloadList()
    mine, other = downloads.add(URL, owner="mine"), downloads.add(URL, owner="other")

    async def never() -> SavedFile:
        await asyncio.Event().wait()
        raise AssertionError

    for transfer in (mine, other):
        downloads.start(transfer, never)
    await downloads.cancel_session("mine")
    assert ((await ended(downloads, mine)).state, other.state) == ("cancelled", "running")
    other.cancel()
    assert (await ended(downloads, other)).state == "cancelled"


async def test_old_transfers_are_dropped_from_the_list_but_running_ones_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transfers, "MAX_TRANSFERS", 2)
    downloads = DownloadList()
    running, done = downloads.add(URL), downloads.add(URL)
    done.state = "done"
    newest = downloads.add(URL)
    assert list(downloads) == [running, newest]


def test_an_executable_file_needs_approval_of_its_extension() -> None:
    transfer, head = DownloadList().add(URL), FileHead(f"{URL}.exe", "")
    with pytest.raises(ExecutableFile):
        classify(transfer, head, b"MZ", options())
    assert not transfer.began.is_set()
    assert classify(transfer, head, b"MZ", options(approved="exe")).extension == "exe"
    assert transfer.began.is_set()


def test_progress_above_the_limit_fails() -> None:
    transfer = DownloadList().add(URL)
    on_progress = progress_callback(transfer, options())
    on_progress(100)
    assert transfer.received == 100
    with pytest.raises(DownloadFailed):
        on_progress(101)


def test_names_are_the_proposed_one_then_numbered() -> None:
    names = itertools.islice(save_names(options(name="../report.exe"), "pdf"), 2)
    assert list(names) == ["report.pdf", "report (1).pdf"]


def test_without_a_proposed_name_names_are_timestamps() -> None:
    first, second = itertools.islice(save_names(options(), "pdf"), 2)
    assert first != second and first.removesuffix(".pdf").isdigit()
