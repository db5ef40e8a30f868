"""One tool call in MCP's stateless protocol: a single HTTP request, so that the MCP SDK need not be imported.

The hub identifies such a client by its name and options, and keeps its browser session for the next call.
"""

from __future__ import annotations

import http
import http.client
import json
import re
from collections.abc import Mapping
from typing import cast
from urllib.parse import urlencode

from browser_pilot import __version__
from browser_pilot.errors import HubUnavailable, InvalidArgument, SettingsError
from browser_pilot.json_types import JsonObject

from .hub_control import RunningHub, send_request
from .tool_result import CallResult, parse_result

PROTOCOL_VERSION = "2026-07-28"
META_PREFIX = "io.modelcontextprotocol/"
CLIENT_INFO = {"name": "browser-pilot call", "version": __version__}
# The hub's own limit for a call is ten minutes.
CALL_TIMEOUT_SECONDS = 660.0
TOOL_NAME = re.compile(r"[\w.-]{1,128}", re.ASCII)


def call_tool(hub: RunningHub, tool: str, arguments: JsonObject, options: Mapping[str, str]) -> CallResult:
    """Call a tool. Tool errors are returned as results; a rejected request or lost connection raises."""
    if not TOOL_NAME.fullmatch(tool):
        raise InvalidArgument(
            f"{tool!r} is not a valid tool name.", suggestions=["`browser-pilot tools` lists the tools."]
        )
    meta = {
        f"{META_PREFIX}protocolVersion": PROTOCOL_VERSION,
        f"{META_PREFIX}clientInfo": CLIENT_INFO,
        f"{META_PREFIX}clientCapabilities": {},
    }
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": PROTOCOL_VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    try:
        status, body = send_request(
            hub.info,
            "POST",
            f"/mcp?{urlencode(options)}",
            body=json.dumps(request).encode(),
            headers=headers,
            timeout_seconds=CALL_TIMEOUT_SECONDS,
        )
    except (OSError, http.client.HTTPException) as error:
        raise HubUnavailable(
            f"The hub disconnected during {tool} ({error or type(error).__name__}); the outcome is unknown.",
            suggestions=["`browser-pilot status` shows whether the hub is running."],
        ) from error
    response = parse_response(body)
    result = response.get("result")
    if isinstance(result, dict):
        return parse_result(cast(JsonObject, result))
    raise _response_error(status, response)


def parse_response(body: bytes) -> JsonObject:
    """The JSON-RPC response in a body, which is JSON or an event stream that ends with the response."""
    text = body.decode("utf-8", "replace")
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    try:
        value: object = json.loads(events[-1] if events else text)
    except (ValueError, RecursionError):
        return {}
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def _response_error(status: int, response: JsonObject) -> HubUnavailable | SettingsError:
    """The hub's error, where the response has one: for an invalid option, or as a JSON-RPC error."""
    error = response.get("error")
    details = cast(JsonObject, error) if isinstance(error, dict) else response
    message = str(details.get("message", f"The hub responded with HTTP status {status}."))
    listed = details.get("suggestions")
    suggestions = [str(tip) for tip in cast(list[object], listed)] if isinstance(listed, list) else []
    if error == SettingsError.code:
        return SettingsError(message, suggestions=suggestions)
    return HubUnavailable(message, suggestions=suggestions or ["Run `browser-pilot doctor` to check the hub."])
