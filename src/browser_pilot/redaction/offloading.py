"""Redaction for the event loop: short values at once, long ones in a worker process.

Redaction takes time linear in its input, but hostile text costs some microseconds per character: seconds for a body of
a million. ``redact`` never raises because of that: what is too deep, or takes too long, is hidden as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

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


async def redact_body(redactor: Redactor, body: str, content_type: str) -> str:
    """``Redactor.body`` for the event loop."""
    if is_short(body):
        return redactor.body(body, content_type=content_type)
    try:
        return await run_in_worker(_body, redactor, body, content_type, timeout_seconds=REDACTION_TIMEOUT_SECONDS)
    except TimeoutError:
        return placeholder("text")


def is_short(value: object) -> bool:
    """Whether a value is small enough for the event loop. Stops counting when it is not."""
    left = MAX_INLINE_CHARACTERS
    open_parts = [value]
    while open_parts:
        part = open_parts.pop()
        left -= len(part) if isinstance(part, str | bytes) else _CHARACTERS_PER_VALUE
        if left < 0:
            return False
        if isinstance(part, Mapping):
            open_parts += cast("Mapping[object, object]", part).keys()
            open_parts += cast("Mapping[object, object]", part).values()
        elif isinstance(part, Sequence) and not isinstance(part, str | bytes):
            open_parts += cast("Sequence[object]", part)
    return True


def _body(redactor: Redactor, body: str, content_type: str) -> str:
    return redactor.body(body, content_type=content_type)
