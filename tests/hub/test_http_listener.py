"""The listening socket: small messages are sent without delay, and a taken port is replaced."""

from __future__ import annotations

import asyncio
import socket

import pytest

from browser_pilot.errors import SettingsError
from browser_pilot.hub.http_listener import HubEndpoint, bound_socket
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo


async def test_accepted_connections_have_tcp_nodelay() -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    class Peer(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.set_result(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    with bound_socket("127.0.0.1", 0, is_chosen=True) as (listener, _):
        server = await asyncio.get_running_loop().create_server(Peer, sock=listener)
        with socket.create_connection(listener.getsockname()[:2]):
            assert await asyncio.wait_for(accepted, 60)
        server.close()


def test_a_taken_default_port_is_replaced_by_a_free_one_with_a_notice() -> None:
    with bound_socket("127.0.0.1", 0, is_chosen=False) as (taken, no_notice):
        port = taken.getsockname()[1]
        with bound_socket("127.0.0.1", port, is_chosen=False) as (listener, notice):
            assert listener.getsockname()[1] != port
            assert notice is not None and f"port {port} is taken" in notice
    assert no_notice is None


def test_a_taken_port_that_the_user_chose_is_refused() -> None:
    with bound_socket("127.0.0.1", 0, is_chosen=True) as (taken, _):
        port = taken.getsockname()[1]
        refused = pytest.raises(SettingsError, match=rf"hub\.port = {port}: the port is taken")
        with refused, bound_socket("127.0.0.1", port, is_chosen=True):
            pass


def test_an_address_of_another_machine_is_refused() -> None:
    with (
        pytest.raises(SettingsError, match=r"hub\.host = '192\.0\.2\.1'"),
        bound_socket("192.0.2.1", 0, is_chosen=True),
    ):
        pass


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:1/mcp"), ("::1", "http://[::1]:1/mcp")])
def test_the_mcp_url_of_a_hub(host: str, url: str) -> None:
    info = RuntimeInfo(1, 0.0, "1", host, 1, "", "token", False)
    assert HubEndpoint(info, None).mcp_url == url
