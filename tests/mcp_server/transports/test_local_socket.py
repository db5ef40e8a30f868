from __future__ import annotations

import json

import mcp_types as types
import pytest

from browser_pilot.mcp_server.transports import local_socket

HALF: list[types.JSONRPCMessage] = [
    types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": [{"type": "text", "text": "a\ud83d"}]}),
    types.JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params={"message": "\ude00"}),
    types.JSONRPCRequest(jsonrpc="2.0", id=2, method="elicitation/create", params={"message": "\ud83d", "\ud83d": 1}),
]


@pytest.mark.parametrize("message", HALF, ids=lambda message: type(message).__name__)
def test_a_message_with_an_unpaired_surrogate_becomes_a_well_formed_line(message: types.JSONRPCMessage) -> None:
    line = local_socket._encode_message(message)  # pyright: ignore[reportPrivateUsage]
    assert b"\n" not in line
    assert "\ufffd" in json.dumps(json.loads(line), ensure_ascii=False)
    types.jsonrpc_message_adapter.validate_json(line, by_name=False)
