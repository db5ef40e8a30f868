"""One WebSocket with its newest frames, redacted, within a token budget."""

from __future__ import annotations

from browser_pilot.page.observe.websocket_log import WebSocketConnection, WebSocketFrame
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.offloading import redact
from browser_pilot.redaction.redactor import Redactor

from .log_page import ENVELOPE_TOKENS, ROW_TOKENS, LogRow, local_time


async def websocket_details(
    connection: WebSocketConnection, redactor: Redactor, *, max_tokens: int, before: int | None
) -> LogRow:
    """The newest frames before the one of number ``before`` that fit, oldest first.

    Frames are numbered from 1; ``cursor`` continues with earlier ones.
    """
    data: LogRow = {
        "id": connection.number,
        "status": connection.state,
        "type": connection.type,
        "ms": connection.duration_ms,
        "url": await redact(redactor.url, connection.url),
        "time": local_time(connection.at),
    }
    dropped = connection.frames_dropped
    numbered = [(number, frame) for number, frame in enumerate(connection.frames, dropped + 1)]
    wanted = [(number, frame) for number, frame in numbered if before is None or number < before]
    budget = max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(data))
    shown: list[LogRow] = []
    for number, frame in reversed(wanted):
        cells = await _cells(number, frame, redactor)
        budget -= estimate_tokens(",".join(map(str, cells.values()))) + ROW_TOKENS
        if shown and budget < 0:
            break
        shown.append(cells)
    left = len(wanted) - len(shown)
    return {
        **data,
        "frames": shown[::-1],
        **({"earlier": left, "cursor": wanted[left][0]} if left else {}),
        **({"frames_dropped": dropped} if dropped else {}),
    }


async def _cells(number: int, frame: WebSocketFrame, redactor: Redactor) -> LogRow:
    text = await redact(redactor.text, frame.text)
    if frame.is_binary:
        text = f"(binary, {frame.size} bytes)"
    elif frame.size > len(frame.text):
        text = f"{text}… ({frame.size} characters)"
    return {
        "number": number,
        "direction": frame.direction,
        "time": local_time(frame.at).partition(" ")[2],
        "text": text,
    }
