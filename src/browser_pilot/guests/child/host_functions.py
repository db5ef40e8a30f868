"""Host functions of the JavaScript engine: sending lines, logs and host requests, and a few functions of Python.

Each takes one text and returns one text. All input comes from an untrusted script.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import os
import urllib.parse
from collections.abc import Mapping
from typing import Any, cast

import ada_url

from .channel import Channel

_DIGESTS = {"SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
_MAX_URL_CHARS = 1 << 16
_MAX_RANDOM_BYTES = 1 << 16
_URL_PARTS = (
    "href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"
)  # fmt: skip


class HostFunctions:
    def __init__(self, channel: Channel, environment: Mapping[str, str]) -> None:
        self._channel = channel
        self._environment = dict(environment)

    def call(self, kind: str, text: str) -> str:
        """Call the function ``kind``. Empty for functions without a result and for unknown ones."""
        match kind:
            case "line":
                self._channel.send_line(text)
            case "log":
                level, _, message = text.partition("\n")
                self._channel.send_log(level, message)
            case "host":
                request = cast("dict[str, Any]", json.loads(text))
                self._channel.send_host_request(
                    int(request["id"]), request.get("method"), request.get("params"), request.get("call")
                )
            case "reading":
                self._channel.send_reading()
            case "environment":
                return json.dumps(self._environment)
            case "random":
                return _base64(os.urandom(min(int(text), _MAX_RANDOM_BYTES)))
            case "uuid":
                return _uuid()
            case "digest":
                name, _, data = text.partition("\n")
                return (
                    _base64(hashlib.new(_DIGESTS[name], binascii.a2b_base64(data)).digest()) if name in _DIGESTS else ""
                )
            case "utf8":
                return _base64(text.encode(errors="replace"))
            case "text":
                return _decode_utf8(text)
            case "unquote":
                return urllib.parse.unquote(text)
            case "url":
                return _parse_url(text)
            case _:
                pass
        return ""


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _uuid() -> str:
    """A random UUID (version 4), without the start-up time of the ``uuid`` module."""
    number = int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 2 << 62
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _decode_utf8(text: str) -> str:
    errors, _, data = text.partition("\n")
    try:
        return "=" + binascii.a2b_base64(data).decode(errors="strict" if errors == "strict" else "replace")
    except UnicodeDecodeError:
        return "!"


def _parse_url(text: str) -> str:
    given = cast("tuple[str, str | None, tuple[str, str] | None]", json.loads(text))
    url, base, change = given
    if len(text) > _MAX_URL_CHARS:
        return "null"
    try:
        parsed = ada_url.URL(url, base) if base is not None else ada_url.URL(url)
        if change is not None and change[0] in _URL_PARTS:
            setattr(parsed, change[0], change[1])
    except ValueError:
        return "null"
    return json.dumps({part: getattr(parsed, part) for part in _URL_PARTS})
