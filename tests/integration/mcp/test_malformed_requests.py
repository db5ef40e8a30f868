"""Hundreds of malformed requests over stdio and on the hub's socket: each gets an error, and the hub keeps running."""

from __future__ import annotations

import itertools
import json
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from browser_pilot.mcp_server.tools import REGISTRY
from tests.hub_process import HubProcess, environment

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wrong", "version": "1"}},
}
INVALID_VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    3.5,
    "",
    "nonsense",
    [],
    ["x"],
    {},
    {"x": 1},
    "\u0000",
    "x" * 5_000,
)


class RawClient:
    """A client that writes and reads raw lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the adapter ended"
        return json.loads(line)

    def request(self, method: str, params: Any, request_id: Any = 1) -> dict[str, Any]:
        self.send(json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode())
        return self.receive()


@contextmanager
def raw_client(hub: HubProcess) -> Generator[RawClient]:
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "--tools", "full,minimal"],
        env=environment(hub.home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        client = RawClient(process)
        client.send(json.dumps(INITIALIZE).encode())
        assert client.receive()["result"]["serverInfo"]["name"] == "browser-pilot"
        client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield client
        assert client.request("ping", {}, "still there")["result"] == {}
    finally:
        process.stdin.close() if process.stdin else None
        process.wait(10)
        process.stdout.close() if process.stdout else None


def test_a_line_that_is_no_request_gets_an_error(hub: HubProcess) -> None:
    lines = [
        b"{",
        b"[",
        b"nonsense",
        b"7",
        b'"text"',
        b"null",
        b"\xff\xfe\x00",
        b"{} {}",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"',
        b'{"a": NaN}',
        b"[" * 50_000 + b"]" * 50_000,
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 7}',
        b"{}",
        b"[]",
    ]
    with raw_client(hub) as client:
        for line in lines * 3:
            client.send(line)
            assert "error" in client.receive(), line[:100]


@pytest.mark.parametrize("method", ["nothing/here", "tools/list/", "Tools/List", "", "resources/read", "__proto__"])
def test_an_unknown_method_gets_an_error(hub: HubProcess, method: str) -> None:
    with raw_client(hub) as client:
        for params in ({}, {"name": 1}, {"cursor": "x"}):
            assert "error" in client.request(method, params)


def test_every_invalid_argument_of_every_tool_gets_a_typed_error(hub: HubProcess) -> None:
    calls = [
        (tool.name, {argument: value})
        for tool in REGISTRY
        for argument, value in itertools.product([*tool.arguments.model_fields, "no_such_argument"], INVALID_VALUES)
    ]
    assert len(calls) > 400
    # A download by URL opens a blank tab, so it comes last: the other calls need a client without a tab.
    calls.sort(key=lambda call: call[0] == "browser_download")
    allowed = {"NO_TAB", "INVALID_ARGUMENT", "NO_SESSION", "DOMAIN_DENIED", "NAVIGATION_FAILED"}
    allowed |= {"ELEMENT_NOT_FOUND", "DOWNLOAD_FAILED"}
    with raw_client(hub) as client:
        for name, arguments in calls:
            result = client.request("tools/call", {"name": name, "arguments": arguments})["result"]
            text = result["content"][0]["text"]
            # Also an invalid value that a tool tolerates (such as an empty filter) fails: the client has no tab.
            needs_tab = name not in ("browser_tabs", "browser_picked", "browser_session", "browser_trace")
            assert result.get("isError") is True or not needs_tab, (name, arguments, text)
            if result.get("isError"):
                assert text.split("\n")[0].removeprefix("error: ") in allowed, (name, arguments, text)


@pytest.mark.parametrize("arguments", [7, "text", ["x"], None])
@pytest.mark.parametrize("name", [None, 7, "", "no_such_tool", "browser_click\u0000", "x" * 100_000])
def test_a_call_of_an_unknown_tool_gets_an_error(hub: HubProcess, name: object, arguments: object) -> None:
    with raw_client(hub) as client:
        response = client.request("tools/call", {"name": name, "arguments": arguments})
        assert "error" in response or response["result"]["isError"] is True


def test_arguments_of_ten_megabytes_get_a_short_error(hub: HubProcess) -> None:
    with raw_client(hub) as client:
        for arguments in ({"element": "e1", "text": "x" * 10_000_000}, {"element": {"css": "x" * 10_000_000}}):
            result = client.request("tools/call", {"name": "browser_type", "arguments": arguments})["result"]
            assert result["isError"] is True
            assert "INVALID_ARGUMENT" in result["content"][0]["text"]
            assert len(result["content"][0]["text"]) < 2_000


@pytest.mark.parametrize(
    "handshake",
    [
        b"",
        b"\n",
        b"nonsense\n",
        b"[]\n",
        b"{}\n",
        b'{"hello": 1}\n',
        b'{"hello": 1, "token": ""}\n',
        b'{"hello": 1, "token": "wrong"}\n',
        b'{"hello": 1, "token": 7}\n',
        b'{"hello": 1, "token": null, "retire": true}\n',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        b"x" * 100_000 + b"\n",
    ],
)
def test_the_private_socket_refuses_a_handshake_without_the_token(hub: HubProcess, handshake: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(hub.info.socket)
        connection.sendall(handshake)
        connection.shutdown(socket.SHUT_WR)
        response = b"".join(iter(lambda: connection.recv(65536), b""))
    assert response == b"" or json.loads(response)["error"]["error"] == "PERMISSION_DENIED"
    with hub.http() as http:
        assert http.get("/health").status_code == 200


def test_invalid_options_are_refused_with_a_message(hub: HubProcess) -> None:
    invalid: tuple[object, ...] = (
        {"tools": "x"},
        {"format": "xml"},
        {"colour": "red"},
        {"viewport": "big"},
        ["x"],
        "x",
    )
    for options in invalid:
        handshake = {"hello": 1, "token": hub.info.token, "version": "0", "options": options}
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(hub.info.socket)
            connection.sendall(json.dumps(handshake).encode() + b"\n")
            response = b"".join(iter(lambda c=connection: c.recv(65536), b""))
        error = json.loads(response)["error"]
        assert error["error"] == "INVALID_SETTINGS"
        assert error["message"]


HALF = (b"\\ud83d", b"\\uDE00\\uD83D", b"x\\udfff")


@pytest.mark.parametrize("half", HALF)
def test_an_unpaired_surrogate_in_a_request_is_refused_and_named(hub: HubProcess, half: bytes) -> None:
    call = b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"browser_type","arguments":{"text":"%s"}}}'
    with raw_client(hub) as client:
        client.send(call % (b"7", half))
        answer = client.receive()
        assert (answer["id"], answer["error"]["code"]) == (7, -32600)
        assert "unpaired surrogate" in answer["error"]["message"]
        client.send(call % (b'"%s"' % half, b"text"))
        assert "unpaired surrogate" in client.receive()["error"]["message"]
        client.send(b'{"jsonrpc":"2.0","id":8,"method":"%s"}' % half)
        assert client.receive()["error"]["code"] == -32600
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with hub.http() as http:
        response = http.post("/mcp", content=call % (b"7", half), headers=headers)
        assert response.status_code == 400
        assert "hex escape" in response.json()["error"]["message"]
        assert http.get("/health").status_code == 200
