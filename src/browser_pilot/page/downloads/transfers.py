"""The downloads of one client: each has an id, a progress and an outcome. And what all ways of saving share.

A transfer has begun when its file type was detected. It then runs in the background until it is done, failed or
cancelled. The file exists only when it is done. Closing a session cancels its running transfers; the list lives as long
as its client.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from browser_pilot.errors import DownloadFailed, InternalError, PilotError
from browser_pilot.files.file_types import MAGIC_BYTES, FileType, detect_file_type
from browser_pilot.files.file_writer import SavedFile, too_large_error
from browser_pilot.files.filenames import TimestampNames, filename_candidates, safe_filename

from .downloadable import FileHead

logger = logging.getLogger(__name__)

TransferState = Literal["running", "done", "failed", "cancelled"]
MAX_TRANSFERS = 200
# From this size on, the browser itself fetches the file.
LARGE_BYTES = 8 << 20

_stamps = TimestampNames(lambda: time.time_ns() // 1_000_000)


class ExecutableFile(DownloadFailed):
    """The file turned out to be executable, which was not authorized. The gateway authorizes again, with its kind."""

    def __init__(self, extension: str) -> None:
        super().__init__(
            f"The file is executable (.{extension}), which was not authorized.",
            suggestions=["Download it again with `wait`: the user is then asked."],
            metadata={"reason": "executable"},
        )
        self.extension = extension


@dataclass(frozen=True, slots=True)
class SaveOptions:
    """Where to save, the size limit, the file name, and the extension of an executable file that was approved.

    ``redact`` redacts URLs that are stored with the file.
    """

    folder: Path
    max_bytes: int
    redact: Callable[[str], str]
    name: str = ""
    approved_extension: str = ""


@dataclass(eq=False)
class Transfer:
    id: str
    source: str
    owner: str = ""
    page_url: str = ""
    filename: str = ""
    state: TransferState = "running"
    received: int = 0
    total: int | None = None
    kind: FileType | None = None
    saved: SavedFile | None = None
    error: PilotError | None = None
    note: str = ""
    began: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[SavedFile] | None = None

    def cancel(self) -> None:
        """Stop it and remove the partial file. No effect on one that has ended."""
        if self.task is not None and self.state == "running":
            self.task.cancel()

    async def wait_begun(self, seconds: float | None = None) -> None:
        """Wait until the file type was detected, or for ``seconds``. Raises the error if it failed before."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.began.wait()
        if self.error is not None and self.kind is None:
            raise self.error

    async def wait_ended(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for its end; returns whether it has ended."""
        if self.task is not None and self.state == "running":
            await asyncio.wait({self.task}, timeout=seconds)
        return self.state != "running"


class DownloadList:
    """``on_end`` is called with every transfer that has ended."""

    def __init__(self, on_end: Callable[[Transfer], None] = lambda _: None) -> None:
        self._on_end = on_end
        self._numbers = itertools.count(1)
        self._transfers: dict[str, Transfer] = {}

    def __iter__(self) -> Iterator[Transfer]:
        return iter(list(self._transfers.values()))

    def get(self, transfer_id: str) -> Transfer | None:
        return self._transfers.get(transfer_id)

    def add(self, source: str, *, owner: str = "", page_url: str = "", filename: str = "") -> Transfer:
        """``owner`` is the session that it belongs to."""
        transfer = Transfer(f"d{next(self._numbers)}", source, owner, page_url, filename)
        self._transfers[transfer.id] = transfer
        excess = max(0, len(self._transfers) - MAX_TRANSFERS)
        for old in [one.id for one in self if one.state != "running"][:excess]:
            del self._transfers[old]
        return transfer

    def remove(self, transfer: Transfer) -> None:
        self._transfers.pop(transfer.id, None)

    def start(self, transfer: Transfer, work: Callable[[], Awaitable[SavedFile]]) -> None:
        """Run it in the background."""

        async def run() -> SavedFile:
            return await work()

        transfer.task = asyncio.create_task(run())
        transfer.task.add_done_callback(lambda task: self._end(transfer, task))

    async def cancel_session(self, owner: str) -> None:
        """Cancel the running transfers of a session; saved files stay."""
        running = [one for one in self if one.owner == owner and one.state == "running"]
        tasks = [one.task for one in running if one.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _end(self, transfer: Transfer, task: asyncio.Task[SavedFile]) -> None:
        if task.cancelled():
            transfer.state = "cancelled"
            transfer.error = DownloadFailed("The download was cancelled.", metadata={"reason": "cancelled"})
        elif (error := task.exception()) is not None:
            transfer.state = "failed"
            transfer.error = error if isinstance(error, PilotError) else _unexpected(error)
        else:
            transfer.saved = task.result()
            transfer.filename = transfer.saved.path.name
            transfer.state = "done"
        transfer.began.set()
        if self._transfers.get(transfer.id) is transfer:
            self._on_end(transfer)


def _unexpected(error: BaseException) -> InternalError:
    logger.error("a download failed unexpectedly", exc_info=error)
    return InternalError("The download failed unexpectedly; the hub's log has the details.")


def progress_callback(transfer: Transfer, options: SaveOptions) -> Callable[[int], None]:
    """A callback for the bytes that the browser has received so far; raises when the file is too large."""

    def on_progress(received: int) -> None:
        transfer.received = received
        if received > options.max_bytes:
            raise too_large_error(options.max_bytes)

    return on_progress


def classify(transfer: Transfer, head: FileHead, beginning: bytes, options: SaveOptions) -> FileType:
    """The file type, as far as it can be detected now. Marks the transfer begun, or raises ``ExecutableFile``."""
    kind = detect_file_type(
        url=head.url, mime=head.mime, first_bytes=beginning[:MAGIC_BYTES], server_name=head.suggested_name
    )
    if kind.executable_as and kind.executable_as != options.approved_extension:
        raise ExecutableFile(kind.executable_as)
    transfer.kind, transfer.total = kind, head.length
    transfer.began.set()
    return kind


def save_names(options: SaveOptions, extension: str) -> Iterator[str]:
    """File names to try, in order; endless."""
    name = safe_filename(options.name, extension) if options.name else None
    if name is not None:
        yield from filename_candidates(name)
    while True:
        yield f"{_stamps.next()}.{extension}"
