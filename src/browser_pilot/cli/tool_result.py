"""What a tool answered, as commands use it: its text, what that says as data, its pictures. Pure."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import cast

import toon_format

Json = dict[str, object]


@dataclass(frozen=True)
class Picture:
    data: bytes
    mime: str


@dataclass(frozen=True)
class ToolAnswer:
    text: str
    pictures: tuple[Picture, ...]
    is_error: bool

    @property
    def data(self) -> Json:
        """What the text says, as data; nothing when it is neither JSON nor TOON."""
        try:
            value = cast(object, json.loads(self.text) if self.text.startswith("{") else toon_format.decode(self.text))
        except (ValueError, RecursionError, toon_format.ToonDecodeError):
            return {}
        return cast(Json, value) if isinstance(value, dict) else {}

    @property
    def rows(self) -> list[Json]:
        """The elements of a snapshot."""
        elements = self.data.get("elements")
        return cast(list[Json], elements) if isinstance(elements, list) else []


def read_answer(result: Json) -> ToolAnswer:
    """The answer in the result of a ``tools/call``; blocks of unknown kinds are left out."""
    content = result.get("content")
    blocks = cast(list[Json], content) if isinstance(content, list) else []
    texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
    pictures = [_picture(block) for block in blocks if block.get("type") == "image"]
    return ToolAnswer("\n".join(texts), tuple(pictures), result.get("isError") is True)


def _picture(block: Json) -> Picture:
    try:
        data = base64.b64decode(str(block.get("data")), validate=True)
    except binascii.Error:
        data = b""
    return Picture(data, str(block.get("mimeType", "image/png")))
