"""Connects to the first of several addresses that accepts (RFC 8305, "happy eyeballs"), by ``aiohappyeyeballs``.

It takes numeric addresses only, those that the access policy has evaluated, and resolves nothing: a name is a
``ValueError``. The deadline is the caller's.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address
from typing import TypeVar

import aiohappyeyeballs

ATTEMPT_DELAY_SECONDS = 0.25

P = TypeVar("P", bound=asyncio.BaseProtocol)

_ERRNO = re.compile(r"\[Errno (\d+)\]")


async def connect_socket(
    addresses: Sequence[str], port: int, *, attempt_delay_seconds: float = ATTEMPT_DELAY_SECONDS
) -> socket.socket:
    """A connected, non-blocking socket; the other attempts' sockets are closed. Raises ``OSError`` when all fail."""
    if not addresses:
        raise OSError("the name has no address")
    try:
        return await aiohappyeyeballs.start_connection(  # pyright: ignore[reportUnknownMemberType]
            [_addr_info(address, port) for address in addresses], happy_eyeballs_delay=attempt_delay_seconds
        )
    except OSError as error:
        numbers = _ERRNO.findall(str(error))
        if len(numbers) > 1:
            # The library joins the failures of several attempts into one, without a number where they differ.
            # The last attempt's is the one that is reported.
            raise OSError(int(numbers[-1]), os.strerror(int(numbers[-1]))) from error
        raise


async def connect_protocol(addresses: Sequence[str], port: int, protocol: Callable[[], P]) -> P:
    """The protocol of a new connection to one of the addresses. Raises ``OSError`` when all fail."""
    connection = await connect_socket(addresses, port)
    _, made = await asyncio.get_running_loop().create_connection(protocol, sock=connection)
    return made


def _addr_info(address: str, port: int) -> tuple[int, int, int, str, tuple[str | int, ...]]:
    if isinstance(ip_address(address), IPv6Address):
        return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0)
    return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)
