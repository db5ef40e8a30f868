"""Parses JSON-RPC lines as far as the adapter needs: the kind of message, or why it is malformed.

Pure. Parameters and results are left to the hub, with one exception: the adapter keeps the body of ``initialize`` to
replay it.
"""

from __future__ import annotations

import json
from typing import NamedTuple, cast

MAX_LINE_BYTES = 64 * 1024 * 1024

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

RequestId = str | int


class Request(NamedTuple):
    id: RequestId
    method: str
    body: dict[str, object]


class Notification(NamedTuple):
    method: str
    cancels: RequestId | None = None
    """The request that the sender cancels."""


class Response(NamedTuple):
    id: RequestId | None
    body: dict[str, object]


class Malformed(NamedTuple):
    """A line that is no message: the error to respond with, for each id that could be read (``None`` if none)."""

    code: int
    reason: str
    ids: tuple[RequestId | None, ...] = (None,)


Message = Request | Notification | Response | Malformed


def read_message(line: bytes) -> Message:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return Malformed(PARSE_ERROR, "The line is not UTF-8.")
    try:
        value: object = _STRICT.decode(text)
    except _NotJson as error:
        return Malformed(PARSE_ERROR, f"{error} is not JSON.", _ids_despite_constants(text))
    except ValueError as error:
        return Malformed(PARSE_ERROR, f"The line is not JSON: {error}.")
    except RecursionError:
        return Malformed(PARSE_ERROR, "The JSON is nested too deeply.")
    if isinstance(value, list):
        entries = cast("list[object]", value)
        return Malformed(INVALID_REQUEST, "Batches are not supported: send one message a line.", _readable_ids(entries))
    if not isinstance(value, dict):
        return Malformed(INVALID_REQUEST, "A message is a JSON object.")
    return _read_object(cast("dict[str, object]", value))


def too_long() -> Malformed:
    return Malformed(INVALID_REQUEST, f"A line may have at most {MAX_LINE_BYTES // 1024 // 1024} MB.")


def _read_object(body: dict[str, object]) -> Message:
    def malformed(reason: str) -> Malformed:
        return Malformed(INVALID_REQUEST, reason, _readable_ids(body))

    if body.get("jsonrpc") != "2.0":
        return malformed('The message lacks "jsonrpc": "2.0".')
    if "method" not in body:
        if "result" not in body and "error" not in body:
            return malformed("The message has neither a method nor a result nor an error.")
        return Response(_request_id(body.get("id")), body)
    method = body["method"]
    if not isinstance(method, str):
        return malformed("The method must be a string.")
    if not isinstance(body.get("params"), dict | None):
        return malformed("The params must be an object.")
    if "id" not in body:
        params = cast("dict[str, object]", body.get("params") or {})
        is_cancel = method == "notifications/cancelled"
        return Notification(method, cancels=_request_id(params.get("requestId")) if is_cancel else None)
    request_id = _request_id(body["id"])
    if request_id is None:
        return malformed("The id must be a string or a whole number.")
    return Request(request_id, method, body)


def _request_id(value: object) -> RequestId | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _readable_ids(value: object) -> tuple[RequestId | None, ...]:
    """The ids of what may have been requests, each once, so that each of them gets the error."""
    entries = cast("list[object]", value) if isinstance(value, list) else [value]
    bodies = [cast("dict[str, object]", entry) for entry in entries if isinstance(entry, dict)]
    found = [_request_id(body.get("id")) for body in bodies if "result" not in body and "error" not in body]
    return tuple(dict.fromkeys(found)) or (None,)


def _ids_despite_constants(text: str) -> tuple[RequestId | None, ...]:
    """The ids in a text with NaN or Infinity, which may be malformed after that as well."""
    try:
        return _readable_ids(json.loads(text))
    except (ValueError, RecursionError):
        return (None,)


class _NotJson(Exception):
    """NaN or Infinity, which Python's parser accepts but JSON does not allow."""


def _reject_constant(name: str) -> object:
    raise _NotJson(name)


_STRICT = json.JSONDecoder(parse_constant=_reject_constant)


class LineSplitter:
    """Splits a stream of bytes into lines, in time linear in their length."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that ``chunk`` completes, without newline; ``None`` for each one over the limit."""
        *ends, rest = chunk.split(b"\n")
        lines: list[bytes | None] = []
        for end in ends:
            self._append(end)
            lines.append(self.rest())
        self._append(rest)
        return lines

    def rest(self) -> bytes | None:
        """Take what was received since the last newline."""
        line = b"".join(self._pieces) if self._size <= self._limit_bytes else None
        self._pieces.clear()
        self._size = 0
        return line

    def _append(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit_bytes:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)
