"""What the adapter itself says to its client, always in place of a hub that cannot: errors, as lines of JSON-RPC.

Pure. A failed ``tools/call`` is answered by a result with ``isError``, as every tool error is, in the one shape of
``error``, ``message``, ``suggestions`` and ``retryable``; any other request by a JSON-RPC error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from ..errors import HubUnavailable, OutcomeUnknown, PilotError
from .messages import Malformed, RequestId

SERVER_ERROR = -32000


class OpenRequest(NamedTuple):
    """A request of the client that has no answer yet."""

    id: RequestId
    method: str


def hub_ended() -> HubUnavailable:
    return HubUnavailable(
        "The hub ended before it answered.",
        suggestions=["Send the request again: a new hub is started for it."],
    )


def call_cut_off() -> OutcomeUnknown:
    return OutcomeUnknown(
        "The hub ended during the call. The action may or may not have happened; it was not tried again.",
        suggestions=["Open the page again and look at it before you repeat the action: tabs and refs are gone."],
    )


def answer_lost(request: OpenRequest, *, as_json: bool) -> bytes:
    """The answer to a request that was with the hub when the hub was lost."""
    error = call_cut_off() if request.method == "tools/call" else hub_ended()
    return answer_failed(request, error, as_json=as_json)


def answer_failed(request: OpenRequest, error: PilotError, *, as_json: bool) -> bytes:
    """The answer to a request that ``error`` stands in the way of."""
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


def answer_malformed(malformed: Malformed) -> Iterator[bytes]:
    for request_id in malformed.ids:
        error = {"code": malformed.code, "message": malformed.reason}
        yield _line({"jsonrpc": "2.0", "id": request_id, "error": error})


def withdraw_question(request_id: RequestId) -> bytes:
    """Tell the client that nobody waits any more for its answer to the hub's request."""
    params = {"requestId": request_id, "reason": "The hub that asked has ended."}
    return _line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def _describe(error: PilotError, *, as_json: bool) -> str:
    shape: dict[str, object] = {
        "error": error.code,
        "message": error.message,
        "suggestions": list(error.suggestions),
        "retryable": error.retryable,
        **error.metadata,
    }
    return json.dumps(shape, ensure_ascii=False) if as_json else to_toon(shape)


def to_toon(shape: dict[str, object]) -> str:
    """The few forms of TOON that an error needs: strings, booleans, whole numbers and lists of strings, one level."""
    lines: list[str] = []
    for key, value in shape.items():
        if isinstance(value, list):
            items = [_toon_scalar(item) for item in cast("list[object]", value)]
            lines.append(f"{key}[{len(items)}]: {','.join(items)}".rstrip(" "))
        else:
            lines.append(f"{key}: {_toon_scalar(value)}")
    return "\n".join(lines)


# What may stand without quotes: words that could not be read as a number, a keyword, a list or a pair.
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
    # Escaped to ASCII, as an id of the client may hold what UTF-8 cannot (a lone surrogate).
    return json.dumps(message).encode("ascii")
