"""The JSON-RPC error responses that the adapter writes itself, when the hub cannot.

Pure. A failed ``tools/call`` gets a result with ``isError``, in the same form as the hub's tool errors (``error``,
``message``, ``suggestions``, ``retryable``); any other request gets a JSON-RPC error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from browser_pilot.errors import HubUnavailable, OutcomeUnknown, PilotError

from .jsonrpc import Malformed, RequestId

SERVER_ERROR = -32000


class OpenRequest(NamedTuple):
    """A request of the client that has no response yet."""

    id: RequestId
    method: str


def hub_ended() -> HubUnavailable:
    return HubUnavailable(
        "The hub ended before it responded.",
        suggestions=["Send the request again: a new hub will be started."],
    )


def call_interrupted() -> OutcomeUnknown:
    return OutcomeUnknown(
        "The hub ended during the call. The action may or may not have happened; it was not retried.",
        suggestions=["Open the page and take a snapshot before you repeat the action: tabs and refs are lost."],
    )


def lost_response(request: OpenRequest, *, as_json: bool) -> bytes:
    """The response to a request that the hub had received when it ended."""
    error = call_interrupted() if request.method == "tools/call" else hub_ended()
    return error_response(request, error, as_json=as_json)


def error_response(request: OpenRequest, error: PilotError, *, as_json: bool) -> bytes:
    if request.method == "tools/call":
        content = [{"type": "text", "text": _describe(error, as_json=as_json)}]
        return _line({"jsonrpc": "2.0", "id": request.id, "result": {"content": content, "isError": True}})
    data: dict[str, object] = {"code": error.code, "retryable": error.retryable, **error.metadata}
    if error.suggestions:
        data["suggestions"] = list(error.suggestions)
    message = " ".join((error.message, *error.suggestions))
    return _line(
        {"jsonrpc": "2.0", "id": request.id, "error": {"code": SERVER_ERROR, "message": message, "data": data}}
    )


def malformed_responses(malformed: Malformed) -> Iterator[bytes]:
    for request_id in malformed.ids:
        error = {"code": malformed.code, "message": malformed.reason}
        yield _line({"jsonrpc": "2.0", "id": request_id, "error": error})


def cancelled_notification(request_id: RequestId) -> bytes:
    """Cancels a request of the hub that the client has not responded to."""
    params = {"requestId": request_id, "reason": "The hub that sent this request has ended."}
    return _line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def _describe(error: PilotError, *, as_json: bool) -> str:
    fields: dict[str, object] = {
        "error": error.code,
        "message": error.message,
        "suggestions": list(error.suggestions),
        "retryable": error.retryable,
        **error.metadata,
    }
    return json.dumps(fields, ensure_ascii=False) if as_json else to_toon(fields)


def to_toon(fields: dict[str, object]) -> str:
    """The part of TOON that an error needs: strings, booleans, whole numbers and lists of strings, one level."""
    lines: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list):
            items = [_toon_scalar(item) for item in cast("list[object]", value)]
            lines.append(f"{key}[{len(items)}]: {','.join(items)}".rstrip(" "))
        else:
            lines.append(f"{key}: {_toon_scalar(value)}")
    return "\n".join(lines)


# Text that needs no quotes: it cannot be parsed as a number, a keyword, a list or a pair.
_BARE = r"(?!(?:true|false|null)$)[A-Za-z_/](?:[\w ./;()'’+=?!<>@-]*[\w./;()'’+=?!<>@-])?"
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"


def _toon_scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = re.sub(_CONTROL, " ", str(value))
    return text if re.fullmatch(_BARE, text, re.ASCII) else json.dumps(text, ensure_ascii=False)


def _line(message: dict[str, object]) -> bytes:
    # Escaped to ASCII: an id of the client may contain a lone surrogate, which UTF-8 cannot encode.
    return json.dumps(message).encode("ascii")
