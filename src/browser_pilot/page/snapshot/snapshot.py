"""Takes a view of a page: one call into the world of each frame, all at once, stitched together in the page's order."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import StaleRef
from browser_pilot.pages import pierce
from browser_pilot.pages.ceiling import Cursor
from browser_pilot.pages.frames import MAIN, Frame
from browser_pilot.pages.view import Box, Detail, Row, View, narrow
from browser_pilot.pages.world import DEFAULT_TIMEOUT_MS, FrameGone, Json, Told, World

# Far more rows than any answer holds, and far fewer than would make a transfer slow.
ROW_LIMIT = 5_000
WALK_LIMIT_MS = 3_000
MOST_WALKS = 3


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of one frame, and the frame inside its element, if any."""

    row: Row
    child: int | None


@dataclass(frozen=True, slots=True)
class _Part:
    """What one frame told."""

    document: str
    url: str
    title: str
    lines: Sequence[_Line]
    before: int
    rest: int
    suspects: int
    unheard: int


async def take_view(
    world: World,
    *,
    detail: Detail = "standard",
    root: tuple[Frame, str] | None = None,
    boxes: bool = False,
    start: Cursor | None = None,
    limit: int = ROW_LIMIT,
    walk_ms: int = WALK_LIMIT_MS,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
) -> View:
    """See the page, or what is inside ``root`` (a frame and a ref), at most ``limit`` rows of each frame.

    What is not reached within ``walk_ms`` is counted among the rest.

    The frame that ``start`` points into is seen from that row on, so that no page is too long to be seen to its end.
    """
    frames = await world.live_frames(timeout_ms=timeout_ms)
    top = root[0].number if root else MAIN
    within = _descendants(frames, top)
    settings: dict[str, Json] = {"full": detail == "full", "boxes": boxes, "timeLimitMs": walk_ms}

    async def one(frame: Frame) -> tuple[int, _Part] | None:
        if not await pierce.is_known(world, frame):
            await pierce.note_listeners(world, frame)
            part, fresh = await walk(frame), False
        else:
            part, fresh = await asyncio.gather(walk(frame), pierce.note_listeners(world, frame))
        # What a walk comes upon (closed shadow roots, listeners in shadow roots) may show more to the next one.
        for _ in range(MOST_WALKS):
            if part is not None and part.suspects:
                fresh = await pierce.open_roots(world, frame) or fresh
            if part is not None and part.unheard:
                fresh = await pierce.note_root_listeners(world, frame) or fresh
            if not fresh:
                break
            part, fresh = await walk(frame), False
        return None if part is None else (frame.number, part)

    async def walk(frame: Frame) -> _Part | None:
        is_top = frame.number == top
        mine: dict[str, Json] = {
            **settings,
            "root": root[1] if root and is_top else None,
            **_start(start, frame, limit),
            "limit": limit,
        }
        known = world.told.get(frame.id)
        if known is not None:
            mine["known"] = known.mark
        try:
            text = await world.call(frame, "snapshot", mine, repeatable=True, timeout_ms=timeout_ms)
        except FrameGone:
            if is_top:
                raise
            return None
        answer = json.loads(cast("str", text))
        world.note_refs_used(frame, answer["lastRef"])
        lines = _lines(answer, known)
        world.told[frame.id] = Told(answer["mark"], lines)
        if not answer["found"]:
            raise StaleRef("The element is no longer on the page.")
        return _Part(lines=lines, **{name: answer[name] for name in _Part.__slots__ if name != "lines"})

    parts = dict(part for part in await asyncio.gather(*map(one, within)) if part is not None)
    main = parts[top]
    rest = sum(part.rest for part in parts.values())
    view = View(main.url, main.title, main.document, tuple(_stitch(top, parts)), main.before, rest)
    return narrow(view, detail)


def _start(cursor: Cursor | None, frame: Frame, limit: int) -> dict[str, Json]:
    """Where a frame's rows begin. A cursor that every view reaches changes nothing, so that views stay comparable."""
    if cursor is None or cursor.index < limit // 2 or not re.fullmatch(rf"{frame.prefix}\d+", cursor.ref):
        return {}
    return {"start": cursor.ref, "skip": cursor.index}


def _descendants(frames: Sequence[Frame], top: int) -> list[Frame]:
    inside = {top}
    for frame in frames:
        if frame.parent in inside:
            inside.add(frame.number)
    return [frame for frame in frames if frame.number in inside]


def _stitch(number: int, parts: dict[int, _Part]) -> Iterator[Row]:
    """The rows of a frame, with those of the frames inside it after the rows of their elements."""
    for line in parts[number].lines:
        if line.child is None or line.child not in parts:
            yield line.row
            continue
        inside = list(_stitch(line.child, parts))
        if inside or line.row.name:
            yield line.row
        yield from inside


def _lines(answer: dict[str, Any], known: Told | None) -> list[_Line]:
    """All rows of an answer: those that it sends, between those that are as they were."""
    fresh = [_Line(_row(wire), wire[6]) for wire in answer["rows"]]
    if known is None or not (answer["head"] or answer["tail"]):
        return fresh
    return [*known.lines[: answer["head"]], *fresh, *known.lines[len(known.lines) - answer["tail"] :]]


def _row(wire: list[Any]) -> Row:
    ref, role, name, states, value, actionable, _frame, url, box = wire
    parts = cast("list[str | list[Any]]", name) if isinstance(name, list) else []
    return Row(
        ref=ref,
        role=role,
        name="" if parts else cast("str", name),
        states=tuple(states),
        value=value,
        actionable=bool(actionable),
        parts=tuple(part if isinstance(part, str) else _row(part) for part in parts),
        url=url,
        box=cast("Box", tuple(box)) if box else None,
    )
