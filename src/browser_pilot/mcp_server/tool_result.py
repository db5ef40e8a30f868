"""What a tool answers, and how it becomes text: TOON or JSON, one shape for errors. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import toon_format

from ..config import AnswerFormat
from ..errors import PilotError
from ..records.redaction import Json, Redactor

# Inside a quoted cell every quote has a backslash before it, so this is always a cell of its own.
_EMPTY_CELL = re.compile(r'(?<=,)""(?=,|$)', re.MULTILINE)

LONGEST_WORDS = 800


@dataclass(frozen=True)
class Picture:
    data: bytes
    mime: str


@dataclass(frozen=True)
class Link:
    """A resource that the client may read."""

    uri: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True)
class Answer:
    """Data for the agent, in the order it should be read; a long text that stands for itself after it; pictures."""

    data: Mapping[str, object]
    pictures: tuple[Picture, ...] = ()
    text: str | None = None
    links: tuple[Link, ...] = ()

    def noting(self, notices: Sequence[str]) -> Answer:
        """The same with what else the agent should know."""
        if not notices:
            return self
        known = cast("Sequence[str]", self.data.get("notices", ()))
        return replace(self, data={**self.data, "notices": [*known, *notices]})

    def redacted(self, redactor: Redactor) -> Answer:
        """The same without what must not be seen. Pictures are as the page shows itself to a person."""
        text = None if self.text is None else redactor.text(self.text)
        return replace(self, data=redacted_data(self.data, redactor), text=text)


def redacted_data(data: Mapping[str, object], redactor: Redactor) -> Mapping[str, object]:
    return cast("Mapping[str, object]", redactor.data(cast("Json", dict(data))))


def render(data: Mapping[str, object], answer_format: AnswerFormat) -> str:
    if answer_format == "json":
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Most cells of a page's table are empty. A cell without anything in it reads as empty and costs a token less.
    return _EMPTY_CELL.sub("", toon_format.encode(dict(data)))


def error_data(error: PilotError) -> dict[str, object]:
    """An error as it is told. What a caller wrote may be part of it, so it is kept short."""
    data: dict[str, object] = {"error": error.code, "message": _clipped(error.message)}
    if error.suggestions:
        data["suggestions"] = [_clipped(suggestion) for suggestion in error.suggestions]
    data["retryable"] = error.retryable
    data.update(error.metadata)
    return data


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}…"
