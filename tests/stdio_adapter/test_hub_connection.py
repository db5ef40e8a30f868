"""The open requests of one hub connection, and the ``initialize`` to replay on the next."""

from __future__ import annotations

from typing import cast

from browser_pilot.stdio_adapter.hub_connection import HubConnection
from browser_pilot.stdio_adapter.hub_socket import HubSocket
from browser_pilot.stdio_adapter.jsonrpc import Request, Response

INITIALIZE = Request(0, "initialize", {"method": "initialize", "params": {"protocolVersion": "offered", "x": 1}})


def connection() -> HubConnection:
    return HubConnection(cast("HubSocket", None))


def test_a_response_closes_its_request() -> None:
    one = connection()
    one.add(Request(1, "ping", {}))
    one.add(Request(2, "tools/call", {}))
    assert one.match_response(Response(1, {"result": {}})) is None
    assert [(request.id, request.method) for request in one.requests()] == [(2, "tools/call")]


def test_of_two_requests_with_one_id_the_first_is_closed_and_the_last_undone() -> None:
    one = connection()
    for method in ("a", "b", "c"):
        one.add(Request(1, method, {}))
    one.match_response(Response(1, {"result": {}}))
    one.undo_add(Request(1, "c", {}))
    assert [request.method for request in one.requests()] == ["b"]


def test_the_response_to_initialize_returns_it_with_the_negotiated_version() -> None:
    one = connection()
    one.add(INITIALIZE)
    replay = one.match_response(Response(0, {"result": {"protocolVersion": "negotiated"}}))
    assert replay == {"method": "initialize", "params": {"protocolVersion": "negotiated", "x": 1}}
    assert one.match_response(Response(0, {"result": {"protocolVersion": "later"}})) is None


def test_a_failed_initialize_is_not_replayed() -> None:
    one = connection()
    one.add(INITIALIZE)
    assert one.match_response(Response(0, {"error": {}})) is None
