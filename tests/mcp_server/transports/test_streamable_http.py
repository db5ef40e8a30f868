"""Which HTTP request belongs to which client, and when a client is forgotten."""

from __future__ import annotations

import gc
import weakref
from typing import Any, cast

from starlette.requests import Request

from browser_pilot.config.settings import Settings
from browser_pilot.mcp_server.client_registry import ClientRegistry
from browser_pilot.mcp_server.server import RequestContext
from browser_pilot.mcp_server.tools import REGISTRY
from browser_pilot.mcp_server.transports.streamable_http import HttpClients
from browser_pilot.sessions.client import Client


async def _close(_client: Client) -> None: ...


class _Context:
    """What identifies the caller in a request's context."""

    class session:  # noqa: N801
        client_params = None

    def __init__(self, session: str | None) -> None:
        headers = [(b"mcp-session-id", session.encode())] if session else []
        scope: dict[str, Any] = {"type": "http", "headers": headers, "query_string": b"", "path": "/mcp"}
        self.request = Request({**scope, "server": ("127.0.0.1", 80), "scheme": "http", "method": "POST"})


def _in_session(session: str | None) -> RequestContext:
    return cast(RequestContext, _Context(session))


def _clients() -> tuple[ClientRegistry, HttpClients]:
    clients = ClientRegistry(Settings(), REGISTRY, _close)
    return clients, HttpClients(clients)


def test_a_session_is_one_client() -> None:
    clients, http_clients = _clients()
    first = http_clients.client_of(_in_session("a"))
    assert http_clients.client_of(_in_session("a")) is first
    assert http_clients.client_of(_in_session("b")) is not first
    assert len(clients) == 2


async def test_an_expired_client_is_forgotten_and_its_session_gets_a_new_one() -> None:
    clients, http_clients = _clients()
    expired = http_clients.client_of(_in_session("a"))
    await clients.expire(idle_seconds=-1)
    assert len(clients) == 0
    known = weakref.ref(expired)
    del expired

    http_clients.client_of(_in_session("b"))
    gc.collect()
    assert known() is None
    assert http_clients.client_of(_in_session("a")) in clients


async def test_a_client_that_ends_its_session_is_forgotten() -> None:
    clients, http_clients = _clients()
    http_clients.client_of(_in_session("a"))
    await http_clients.end_session("a")
    assert len(clients) == 0
