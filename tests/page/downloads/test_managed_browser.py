"""A stream is written to its file completely, or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from browser_pilot.errors import DownloadBroken, DownloadFailed
from browser_pilot.page.downloads.downloadable import FileHead, FileStream
from browser_pilot.page.downloads.managed_browser import save_stream
from browser_pilot.page.downloads.transfers import DownloadList, ExecutableFile, SaveOptions, Transfer

URL = "https://example.com/file.txt"


class FakeStream:
    arrives_at_once = False

    def __init__(self, *pieces: bytes | Exception, length: int | None = None, url: str = URL) -> None:
        self.head = FileHead(url, "", length=length)
        self.closed = False
        self._pieces = list(pieces)

    async def read(self) -> bytes:
        piece = self._pieces.pop(0) if self._pieces else b""
        if isinstance(piece, Exception):
            raise piece
        return piece

    async def close(self) -> None:
        self.closed = True


async def save_to(folder: Path, stream: FakeStream, transfer: Transfer | None = None) -> bytes:
    async def opening() -> FileStream:
        return stream

    options = SaveOptions(folder, max_bytes=100, redact=str, name="file")
    saved = await save_stream(transfer or DownloadList().add(URL), opening, options)
    return saved.path.read_bytes()


async def test_the_pieces_are_written_to_one_file(tmp_path: Path) -> None:
    stream, transfer = FakeStream(b"one ", b"two", length=7), DownloadList().add(URL)
    assert await save_to(tmp_path, stream, transfer) == b"one two"
    assert transfer.received == 7 and stream.closed
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        (FakeStream(b"part", length=10), DownloadBroken),
        (FakeStream(b"part", DownloadBroken("cut")), DownloadBroken),
        (FakeStream(b"x", length=101), DownloadFailed),
        (FakeStream(b"x" * 60, b"x" * 60), DownloadFailed),
        (FakeStream(b"MZ\x90\0" + b"\0" * 60), ExecutableFile),
    ],
    ids=["too short", "broken", "announced too large", "too large", "executable"],
)
async def test_a_file_that_cannot_be_saved_leaves_nothing(
    tmp_path: Path, stream: FakeStream, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await save_to(tmp_path, stream)
    assert list(tmp_path.iterdir()) == [] and stream.closed


async def test_a_cancelled_transfer_leaves_nothing(tmp_path: Path) -> None:
    reading = asyncio.Event()

    class Endless(FakeStream):
        async def read(self) -> bytes:
            reading.set()
            await asyncio.Event().wait()
            return b""

    stream = Endless()
    saving = asyncio.create_task(save_to(tmp_path, stream))
    await reading.wait()
    saving.cancel()
    await asyncio.wait({saving})
    assert saving.cancelled() and list(tmp_path.iterdir()) == [] and stream.closed
