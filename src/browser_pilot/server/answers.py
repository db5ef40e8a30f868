"""What a tool answers, and how it becomes text: TOON or JSON, one shape for errors. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import toon_format

from ..config import AnswerFormat
from ..errors import PilotError

LONGEST_WORDS = 800


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
    return toon_format.encode(dict(data))


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
