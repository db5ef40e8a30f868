"""What a tool answers, and how it becomes text: TOON or JSON, one shape for errors. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import toon_format

from ..config import AnswerFormat
from ..errors import PilotError

# Inside a quoted cell every quote has a backslash before it, so this is always a cell of its own.
_EMPTY_CELL = re.compile(r'(?<=,)""(?=,|$)', re.MULTILINE)


@dataclass(frozen=True)
class Picture:
    data: bytes
    mime: str


@dataclass(frozen=True)
class Answer:
    """Data for the agent, in the order it should be read; a long text that stands for itself after it; pictures."""

    data: Mapping[str, object]
    pictures: tuple[Picture, ...] = ()
    text: str | None = None


def render(data: Mapping[str, object], answer_format: AnswerFormat) -> str:
    if answer_format == "json":
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Most cells of a page's table are empty. A cell without anything in it reads as empty and costs a token less.
    return _EMPTY_CELL.sub("", toon_format.encode(dict(data)))


def error_data(error: PilotError) -> dict[str, object]:
    data: dict[str, object] = {"error": error.code, "message": error.message}
    if error.suggestions:
        data["suggestions"] = list(error.suggestions)
    data["retryable"] = error.retryable
    data.update(error.metadata)
    return data
