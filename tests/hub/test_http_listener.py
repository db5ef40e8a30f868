"""The hub's socket: what comes over it goes out at once."""

from __future__ import annotations

import asyncio
import socket

from browser_pilot.listening import bound_socket


async def test_small_messages_do_not_wait_for_each_other() -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    class Peer(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.set_result(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    with bound_socket("127.0.0.1", 0) as (listener, _):
        server = await asyncio.get_running_loop().create_server(Peer, sock=listener)
        with socket.create_connection(listener.getsockname()[:2]):
            assert await asyncio.wait_for(accepted, 10)
        server.close()
