"""Files that are being saved, or were, for one client: each with a handle, how far it is, and how it ended.

A transfer begins when its kind is known; then it goes on by itself, whether anyone waits or not, until it is done, has
failed or is cancelled. A file is there when it is done, and only then. A session that ends takes what it has under way
along; a shelf lives as long as its client.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from browser_pilot.errors import DownloadFailed, ElementChanged, InternalError, PilotError
from browser_pilot.files.kinds import MAGIC_BYTES, Kind, kind_of
from browser_pilot.files.names import Stamps, candidates, safe_name
from browser_pilot.files.store import Part, SavedFile, too_large
from browser_pilot.pages.download_errors import broken
from browser_pilot.pages.stream import Head, Stream

logger = logging.getLogger(__name__)

State = Literal["running", "done", "failed", "cancelled"]
KEPT = 200

_stamps = Stamps(lambda: time.time_ns() // 1_000_000)


class FileCanRun(ElementChanged):
    """The file turned out to be one that can run, which was not decided about. The gateway decides again."""

    def __init__(self, extension: str) -> None:
        super().__init__(f"The file can run ({extension}), which the user was not asked about.")
        self.extension = extension


@dataclass(frozen=True, slots=True)
class Wish:
    """How to save: where, how much at most, under which name, and which kind of file that can run was agreed to.

    ``redact`` makes addresses fit to be written down.
    """

    folder: Path
    most_bytes: int
    redact: Callable[[str], str]
    name: str = ""
    agreed: str = ""


@dataclass(eq=False)
class Transfer:
    id: str
    source: str
    owner: str = ""
    page_url: str = ""
    filename: str = ""
    state: State = "running"
    received: int = 0
    total: int | None = None
    kind: Kind | None = None
    saved: SavedFile | None = None
    error: PilotError | None = None
    began: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[SavedFile] | None = None

    def cancel(self) -> None:
        """Stop it; what there is of it goes. Does nothing to one that has ended."""
        if self.task is not None and self.state == "running":
            self.task.cancel()

    async def until_begun(self) -> None:
        """Raises what it failed of, if it failed before."""
        await self.began.wait()
        if self.error is not None and self.kind is None:
            raise self.error

    async def until_ended(self, seconds: float) -> bool:
        """Wait for its end, so long at most; whether it has come."""
        if self.task is not None and self.state == "running":
            await asyncio.wait({self.task}, timeout=seconds)
        return self.state != "running"


class Shelf:
    """``ended`` is told of every transfer that has come to its end."""

    def __init__(self, ended: Callable[[Transfer], None] = lambda _: None) -> None:
        self._ended = ended
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
        over = [one.id for one in self if one.state != "running"][: max(0, len(self._transfers) - KEPT)]
        for one in over:
            del self._transfers[one]
        return transfer

    def forget(self, transfer: Transfer) -> None:
        self._transfers.pop(transfer.id, None)

    def start(self, transfer: Transfer, work: Callable[[], Awaitable[SavedFile]]) -> None:
        """Let it go on by itself."""

        async def run() -> SavedFile:
            return await work()

        transfer.task = asyncio.create_task(run())
        transfer.task.add_done_callback(lambda task: self._end(transfer, task))

    async def end_those_of(self, owner: str) -> None:
        """The session ends, and what it has under way with it; what it saved stays."""
        mine = [one for one in self if one.owner == owner and one.state == "running"]
        tasks = [one.task for one in mine if one.task is not None]
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
            self._ended(transfer)


def _unexpected(error: BaseException) -> InternalError:
    logger.error("a download failed in a way that it should not", exc_info=error)
    return InternalError("The download failed unexpectedly; the hub's log has the details.")


def watcher(transfer: Transfer, wish: Wish) -> Callable[[int], None]:
    """To be told how much the browser has of a file that we do not have yet; raises when that is too much."""

    def moved(received: int) -> None:
        transfer.received = received
        if received > wish.most_bytes:
            raise too_large(wish.most_bytes)

    return moved


async def save(transfer: Transfer, opening: Callable[[], Awaitable[Stream]], wish: Wish) -> SavedFile:
    """Write a stream into its file. Whatever stops it, nothing of it stays."""
    stream = await opening()
    part = Part(wish.folder, most_bytes=wish.most_bytes)
    try:
        head = stream.head
        if head.length is not None and head.length > wish.most_bytes:
            raise too_large(wish.most_bytes)
        if stream.comes_whole:
            judge(transfer, head, b"", wish)
        piece = await _beginning(stream)
        kind = judge(transfer, head, piece, wish)
        while piece:
            await _written(asyncio.to_thread(part.write, piece))
            transfer.received = part.size
            piece = await stream.read()
        if head.length is not None and part.size != head.length:
            raise broken(f"it was cut off after {part.size:,} of {head.length:,} bytes")
        names = names_for(wish, kind.extension)
        source, referrer = wish.redact(_origin(head, transfer)), wish.redact(transfer.page_url)
        return await _finished(asyncio.to_thread(part.finish, names, source=source, referrer=referrer))
    finally:
        part.discard()
        await stream.close()


def judge(transfer: Transfer, head: Head, beginning: bytes, wish: Wish) -> Kind:
    """What it is, as far as that is known now; then it has begun, if it may."""
    kind = kind_of(url=head.url, mime=head.mime, beginning=beginning[:MAGIC_BYTES], named=head.named)
    if kind.runs and kind.runs != wish.agreed:
        raise FileCanRun(kind.runs)
    transfer.kind, transfer.total = kind, head.length
    transfer.began.set()
    return kind


async def _beginning(stream: Stream) -> bytes:
    """As much as it takes to know what it is."""
    piece = await stream.read()
    while piece and len(piece) < MAGIC_BYTES:
        more = await stream.read()
        if not more:
            break
        piece += more
    return piece


async def _written(writing: Awaitable[None]) -> None:
    """A thread cannot be stopped: wait for it even when cancelled, so that it does not write to what is gone."""
    task = asyncio.ensure_future(writing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def _finished(finishing: Awaitable[SavedFile]) -> SavedFile:
    """The same; a file that got its name after it was cancelled loses it again."""
    task = asyncio.ensure_future(finishing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if task.exception() is None:
            task.result().path.unlink(missing_ok=True)
        raise


def names_for(wish: Wish, extension: str) -> Iterator[str]:
    name = safe_name(wish.name, extension) if wish.name else None
    if name is not None:
        yield from candidates(name)
    while True:
        yield f"{_stamps.next()}.{extension}"


def _origin(head: Head, transfer: Transfer) -> str:
    return head.url if head.url[:4] == "http" else transfer.source
