"""One tool call over HTTP in MCP's stateless form: a single request, so that nothing heavy is imported for it.

The hub knows such a client by its name and options, and keeps its browser session for the next call.
"""

from __future__ import annotations

import http
import http.client
import json
import re
from collections.abc import Mapping
from typing import cast
from urllib.parse import urlencode

from .. import __version__
from ..errors import HubUnavailable, InvalidArgument, SettingsError
from .hub import RunningHub, ask
from .tool_answer import Json, ToolAnswer, read_answer

PROTOCOL = "2026-07-28"
META = "io.modelcontextprotocol/"
CLIENT = {"name": "browser-pilot call", "version": __version__}
# The hub's own limit for a call is ten minutes.
LONGEST_CALL_SECONDS = 660.0
TOOL_NAME = re.compile(r"[\w.-]{1,128}", re.ASCII)


def call_tool(hub: RunningHub, tool: str, arguments: Json, options: Mapping[str, str]) -> ToolAnswer:
    """Call a tool. Its errors are answers; a hub that refuses or is lost raises."""
    if not TOOL_NAME.fullmatch(tool):
        raise InvalidArgument(f"{tool!r} cannot be a tool.", suggestions=["`browser-pilot tools` lists them."])
    meta = {f"{META}protocolVersion": PROTOCOL, f"{META}clientInfo": CLIENT, f"{META}clientCapabilities": {}}
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": PROTOCOL,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    try:
        status, body = ask(
            hub.info,
            "POST",
            f"/mcp?{urlencode(options)}",
            body=json.dumps(request).encode(),
            headers=headers,
            timeout_seconds=LONGEST_CALL_SECONDS,
        )
    except (OSError, http.client.HTTPException) as error:
        raise HubUnavailable(
            f"The hub was lost while it ran {tool} ({error or type(error).__name__}); it may or may not have happened.",
            suggestions=["`browser-pilot status` shows whether it is back."],
        ) from error
    reply = read_reply(body)
    result = reply.get("result")
    if isinstance(result, dict):
        return read_answer(cast(Json, result))
    raise _refusal(status, reply)


def read_reply(body: bytes) -> Json:
    """The reply in a body, which is JSON or a stream of events of which the last is the reply."""
    text = body.decode("utf-8", "replace")
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    try:
        value: object = json.loads(events[-1] if events else text)
    except (ValueError, RecursionError):
        return {}
    return cast(Json, value) if isinstance(value, dict) else {}


def _refusal(status: int, reply: Json) -> HubUnavailable | SettingsError:
    """The hub's own words where it has some: for a wrong option, or as a JSON-RPC error."""
    error = reply.get("error")
    words = cast(Json, error) if isinstance(error, dict) else reply
    message = str(words.get("message", f"The hub answered with HTTP status {status}."))
    listed = words.get("suggestions")
    suggestions = [str(tip) for tip in cast(list[object], listed)] if isinstance(listed, list) else []
    if error == SettingsError.code:
        return SettingsError(message, suggestions=suggestions)
    return HubUnavailable(message, suggestions=suggestions or ["`browser-pilot doctor` checks the hub."])
