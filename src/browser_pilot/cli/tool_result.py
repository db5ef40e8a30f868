"""The result of a tool call for commands: its text, the text parsed as data, and its images. Pure."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import cast

import toon_format

from browser_pilot.json_types import JsonObject


@dataclass(frozen=True)
class ResultImage:
    data: bytes
    mime: str


@dataclass(frozen=True)
class CallResult:
    text: str
    images: tuple[ResultImage, ...]
    is_error: bool

    @property
    def data(self) -> JsonObject:
        """The text parsed as JSON or TOON; empty when it is neither."""
        try:
            value = cast(object, json.loads(self.text) if self.text.startswith("{") else toon_format.decode(self.text))
        except (ValueError, RecursionError, toon_format.ToonDecodeError):
            return {}
        return cast(JsonObject, value) if isinstance(value, dict) else {}

    @property
    def rows(self) -> list[JsonObject]:
        """The elements of a snapshot."""
        elements = self.data.get("elements")
        return cast(list[JsonObject], elements) if isinstance(elements, list) else []


def parse_result(result: JsonObject) -> CallResult:
    """Parse the result of a ``tools/call``; content blocks of unknown types are ignored."""
    content = result.get("content")
    blocks = cast(list[JsonObject], content) if isinstance(content, list) else []
    texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
    pictures = [_parse_image(block) for block in blocks if block.get("type") == "image"]
    return CallResult("\n".join(texts), tuple(pictures), result.get("isError") is True)


def _parse_image(block: JsonObject) -> ResultImage:
    try:
        data = base64.b64decode(str(block.get("data")), validate=True)
    except binascii.Error:
        data = b""
    return ResultImage(data, str(block.get("mimeType", "image/png")))
