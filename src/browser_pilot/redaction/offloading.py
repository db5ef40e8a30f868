"""Redaction for the event loop: short values at once, long ones in a worker process.

Redaction takes time linear in its input, but hostile text costs some microseconds per character: seconds for a body of
a million. ``redact`` never raises because of that: what is too deep, or takes too long, is hidden as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

from browser_pilot.json_types import Json
from browser_pilot.worker_processes import run_in_worker

from .placeholders import placeholder
from .redactor import Redactor

T = TypeVar("T")

# Some tens of milliseconds for the worst text, less than one for most.
MAX_INLINE_CHARACTERS = 8_000
REDACTION_TIMEOUT_SECONDS = 30.0
_CHARACTERS_PER_VALUE = 4


async def redact(method: Callable[[T], T], value: T) -> T:
    """``method(value)``, where ``method`` is one of a ``Redactor``: ``redact(redactor.text, line)``."""
    if is_short(value):
        return method(value)
    try:
        return await run_in_worker(method, value, timeout_seconds=REDACTION_TIMEOUT_SECONDS)
    except (TimeoutError, RecursionError):
        hidden = {"hidden": placeholder("text")} if isinstance(value, dict) else placeholder("text")
        return cast("T", hidden)


async def redact_data(redactor: Redactor, data: Mapping[str, Json]) -> dict[str, Json]:
    """``Redactor.data`` for the data of a result. Long tables are redacted in slices, between which the loop goes on:
    a worker process would cost more than the work, and most results of pages are tables.
    """
    if is_short(data):
        return cast("dict[str, Json]", redactor.data(dict(data)))
    tables = {name: value for name, value in data.items() if _is_table(name, value)}
    # The rest stays together: what is next to a value can make it sensitive.
    rest = await redact(redactor.data, cast("Json", {name: data[name] for name in data if name not in tables}))
    redacted = cast("dict[str, Json]", rest)
    done = {name: await _redact_table(redactor, name, cast("list[Json]", rows)) for name, rows in tables.items()}
    if len(redacted) + len(done) != len(data):
        return {**redacted, **done}  # the rest is hidden as a whole
    remaining = iter(redacted.items())
    return dict((name, done[name]) if name in done else next(remaining) for name in data)


async def _redact_table(redactor: Redactor, name: str, rows: list[Json]) -> list[Json]:
    redacted: list[Json] = []
    for some in _slices(rows):
        slice_data: Json = {name: some}
        is_long = len(some) == 1 and not is_short(some)
        part = cast(
            "dict[str, Json]", await redact(redactor.data, slice_data) if is_long else redactor.data(slice_data)
        )
        value = next(iter(part.values()))
        redacted += value if isinstance(value, list) else [value]
        await asyncio.sleep(0)
    return redacted


def _slices(rows: list[Json]) -> Iterator[list[Json]]:
    """Short slices; a row that is long by itself is alone."""
    some: list[Json] = []
    left = MAX_INLINE_CHARACTERS
    for row in rows:
        size = _row_size(cast("dict[str, Json]", row))
        if some and size > left:
            yield some
            some, left = [], MAX_INLINE_CHARACTERS
        some.append(row)
        left -= size
    if some:
        yield some


def _row_size(row: dict[str, Json]) -> int:
    values = row.values()
    if all(type(value) is str for value in values):
        return sum(map(len, cast("Sequence[str]", values))) + 2 * _CHARACTERS_PER_VALUE * len(row)
    return _size(row)


def _is_table(name: str, value: Json) -> bool:
    return name != "value" and isinstance(value, list) and all(isinstance(row, dict) for row in value)


async def redact_body(redactor: Redactor, body: str, content_type: str) -> str:
    """``Redactor.body`` for the event loop."""
    if is_short(body):
        return redactor.body(body, content_type=content_type)
    try:
        return await run_in_worker(_body, redactor, body, content_type, timeout_seconds=REDACTION_TIMEOUT_SECONDS)
    except TimeoutError:
        return placeholder("text")


def is_short(value: object) -> bool:
    """Whether a value is small enough for the event loop."""
    return _size(value) <= MAX_INLINE_CHARACTERS


def _size(value: object) -> int:
    """About the number of characters. Stops counting when it is too many for the event loop."""
    size = 0
    open_parts = [value]
    while open_parts and size <= MAX_INLINE_CHARACTERS:
        part = open_parts.pop()
        size += len(part) if isinstance(part, str | bytes) else _CHARACTERS_PER_VALUE
        if isinstance(part, Mapping):
            open_parts += cast("Mapping[object, object]", part).keys()
            open_parts += cast("Mapping[object, object]", part).values()
        elif isinstance(part, Sequence) and not isinstance(part, str | bytes):
            open_parts += cast("Sequence[object]", part)
    return size


def _body(redactor: Redactor, body: str, content_type: str) -> str:
    return redactor.body(body, content_type=content_type)
