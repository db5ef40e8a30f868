"""Takes a snapshot: one call into the isolated world of each frame, all at once, joined in the page's order."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import StaleRef
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import DEFAULT_TIMEOUT_MS, FrameGone, KnownRows, World
from browser_pilot.safe_text import cut, parse_json

from . import listeners
from .rows import Box, Detail, Row, Snapshot, filter_detail
from .token_budget import Cursor

# Far more rows than any tool result holds, and far fewer than would make a transfer slow.
MAX_ROWS = 5_000
WALK_TIMEOUT_MS = 3_000
MAX_WALKS = 3
MAX_ROLE_CHARACTERS = 80
MAX_URL_CHARACTERS = 2_000
# As long as the page cuts values in full detail; the options of a select element are one state.
MAX_STATE_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """What to read: the page, or what is inside ``root`` (a frame and a ref).

    At most ``max_rows`` rows of each frame; what is not reached within ``walk_timeout_ms`` is counted in ``rest``. The
    frame that ``start`` points into is read from that row on, so that every page can be read to its end.
    """

    detail: Detail = "standard"
    root: tuple[Frame, str] | None = None
    boxes: bool = False
    start: Cursor | None = None
    max_rows: int = MAX_ROWS
    walk_timeout_ms: int = WALK_TIMEOUT_MS

    @property
    def top(self) -> int:
        """The number of the frame that the snapshot begins in."""
        return self.root[0].number if self.root else MAIN


_DEFAULT_OPTIONS = SnapshotOptions()


@dataclass(frozen=True, slots=True)
class _FrameRow:
    """A row of one frame, and the number of the frame inside its element, if any."""

    row: Row
    child: int | None


@dataclass(frozen=True, slots=True)
class _FrameSnapshot:
    """The snapshot of one frame. ``suspected_hosts`` and ``new_roots`` count what CDP has still to look up in it."""

    document: str
    url: str
    title: str
    rows: Sequence[_FrameRow]
    before: int
    rest: int
    suspected_hosts: int
    new_roots: int


async def take_snapshot(
    world: World, options: SnapshotOptions = _DEFAULT_OPTIONS, *, timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> Snapshot:
    frames = _descendants(await world.live_frames(timeout_ms=timeout_ms), options.top)
    taken = await asyncio.gather(*(_take_frame(world, frame, options, timeout_ms) for frame in frames))
    by_frame = {frame.number: one for frame, one in zip(frames, taken, strict=True) if one is not None}
    top = by_frame[options.top]
    rest = sum(one.rest for one in by_frame.values())
    snapshot = Snapshot(top.url, top.title, top.document, tuple(_joined_rows(options.top, by_frame)), top.before, rest)
    return filter_detail(snapshot, options.detail)


async def _take_frame(world: World, frame: Frame, options: SnapshotOptions, timeout_ms: int) -> _FrameSnapshot | None:
    """The snapshot of one frame, None when a child frame is gone.

    The next walk may add rows for closed shadow roots and listeners that this one met.
    """
    taken, incomplete = await _first_walk(world, frame, options, timeout_ms)
    for _ in range(MAX_WALKS):
        if taken is not None:
            incomplete = await _look_up_missing(world, frame, taken) or incomplete
        if not incomplete:
            break
        taken, incomplete = await _walk_frame(world, frame, options, timeout_ms), False
    return taken


async def _first_walk(
    world: World, frame: Frame, options: SnapshotOptions, timeout_ms: int
) -> tuple[_FrameSnapshot | None, bool]:
    """A snapshot, and whether listeners were found that it does not include.

    In a known document the two run at once, because new listeners are rare.
    """
    if await listeners.is_listed(world, frame):
        return await asyncio.gather(
            _walk_frame(world, frame, options, timeout_ms), listeners.pass_listeners(world, frame)
        )
    await listeners.pass_listeners(world, frame)
    return await _walk_frame(world, frame, options, timeout_ms), False


async def _look_up_missing(world: World, frame: Frame, taken: _FrameSnapshot) -> bool:
    """Look up what the walk could not see; whether there was anything."""
    opened = taken.suspected_hosts > 0 and await listeners.open_roots(world, frame)
    noted = taken.new_roots > 0 and await listeners.pass_root_listeners(world, frame)
    return opened or noted


async def _walk_frame(world: World, frame: Frame, options: SnapshotOptions, timeout_ms: int) -> _FrameSnapshot | None:
    known = world.known_rows.get(frame.id)
    arguments = _walk_arguments(frame, options, known)
    try:
        text = await world.call(frame, "snapshot", arguments, repeatable=True, timeout_ms=timeout_ms)
    except FrameGone:
        if frame.number == options.top:
            raise
        return None
    reply = parse_json(cast("str", text))
    rows = _frame_rows(reply, known)
    world.note_refs_used(frame, reply["lastRef"])
    world.known_rows[frame.id] = KnownRows(reply["mark"], rows)
    # A document without an element, which a page can make for a moment, is empty.
    if not reply["found"] and arguments["root"] is not None:
        raise StaleRef("The element is no longer on the page.", suggestions=["Take a new snapshot."])
    return _FrameSnapshot(
        document=reply["document"],
        url=reply["url"],
        title=reply["title"],
        rows=rows,
        before=reply["before"],
        rest=reply["rest"],
        suspected_hosts=reply["suspectedHosts"],
        new_roots=reply["newRoots"],
    )


def _walk_arguments(frame: Frame, options: SnapshotOptions, known: KnownRows | None) -> dict[str, ReadOnlyJson]:
    """The options of ``page_reader.js`` for one frame. Rows of the ``known`` snapshot are not sent again."""
    is_top = frame.number == options.top
    arguments: dict[str, ReadOnlyJson] = {
        "full": options.detail == "full",
        "boxes": options.boxes,
        "timeLimitMs": options.walk_timeout_ms,
        "root": options.root[1] if options.root and is_top else None,
        **_start(options.start, frame, options.max_rows),
        "limit": options.max_rows,
    }
    return arguments if known is None else {**arguments, "known": known.mark}


def _start(cursor: Cursor | None, frame: Frame, limit: int) -> dict[str, ReadOnlyJson]:
    """Where a frame's rows begin. A cursor near the beginning is ignored, so that snapshots stay comparable."""
    if cursor is None or cursor.index < limit // 2 or not re.fullmatch(rf"{frame.prefix}\d+", cursor.ref):
        return {}
    return {"start": cursor.ref, "skip": cursor.index}


def _descendants(frames: Sequence[Frame], top: int) -> list[Frame]:
    inside = {top}
    for frame in frames:
        if frame.parent in inside:
            inside.add(frame.number)
    return [frame for frame in frames if frame.number in inside]


def _joined_rows(number: int, by_frame: dict[int, _FrameSnapshot]) -> Iterator[Row]:
    """The rows of a frame, with those of its child frames after the rows of their elements."""
    for one in by_frame[number].rows:
        if one.child is None or one.child not in by_frame:
            yield one.row
            continue
        inside = list(_joined_rows(one.child, by_frame))
        if inside or one.row.name:
            yield one.row
        yield from inside


def _frame_rows(reply: dict[str, Any], known: KnownRows | None) -> list[_FrameRow]:
    """All rows of a reply: the sent ones, between the unchanged ones of the known snapshot."""
    fresh = [_FrameRow(_row(wire), wire[6]) for wire in reply["rows"]]
    if known is None or not (reply["head"] or reply["tail"]):
        return fresh
    return [*known.rows[: reply["head"]], *fresh, *known.rows[len(known.rows) - reply["tail"] :]]


def _row(wire: list[Any]) -> Row:
    ref, role, name, states, value, actionable, _frame, url, box = wire
    parts = cast("list[str | list[Any]]", name) if isinstance(name, list) else []
    return Row(
        ref=ref,
        role=cut(role, MAX_ROLE_CHARACTERS),
        name="" if parts else cast("str", name),
        states=tuple(cut(state, MAX_STATE_CHARACTERS) for state in states),
        value=value,
        actionable=bool(actionable),
        parts=tuple(part if isinstance(part, str) else _row(part) for part in parts),
        url=None if url is None else cut(url, MAX_URL_CHARACTERS),
        box=cast("Box", tuple(box)) if box else None,
    )
