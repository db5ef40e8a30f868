"""The hub's listening socket and its HTTP server."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from browser_pilot.errors import SettingsError
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo

MAX_WEBSOCKET_MESSAGE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class HubEndpoint:
    """The addresses of a running hub. ``notice`` explains why it does not use the default port."""

    info: RuntimeInfo
    notice: str | None

    @property
    def mcp_url(self) -> str:
        host = f"[{self.info.host}]" if ":" in self.info.host else self.info.host
        return f"http://{host}:{self.info.port}/mcp"


class HttpServer(uvicorn.Server):
    """uvicorn without its signal handlers: the hub has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def uvicorn_config(app: ASGIApp, *, close_seconds: int) -> uvicorn.Config:
    # At level DEBUG it logs every WebSocket message: page content, and what is typed.
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=close_seconds,
        ws="websockets-sansio",
        ws_max_size=MAX_WEBSOCKET_MESSAGE_BYTES,
        # On loopback a copy is many times faster than compression.
        ws_per_message_deflate=False,
    )


@contextmanager
def bound_socket(host: str, port: int, *, is_chosen: bool) -> Generator[tuple[socket.socket, str | None]]:
    """A listening socket at this port; or at any free one, with a notice that explains why.

    A port that the user chose is never replaced: what connects to it would send the token to another program.
    """
    notice = None
    try:
        listener = _listener(host, port)
    except OSError as error:
        if port == 0 or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise SettingsError(
                f"hub.host = {host!r}: cannot listen there ({error.strerror}).",
                suggestions=["Use 127.0.0.1, or an address of this machine."],
            ) from None
        why = "is taken by another program" if error.errno == errno.EADDRINUSE else "needs more privileges"
        if is_chosen:
            raise SettingsError(
                f"hub.port = {port}: the port {why}.",
                suggestions=["Stop that program, or choose another port; 0 chooses a free one."],
            ) from None
        listener = _listener(host, 0)
        notice = f"port {port} {why}; using {listener.getsockname()[1]}"
    with listener:
        yield listener, notice


def _listener(host: str, port: int) -> socket.socket:
    """Listens at once: no client of the runtime file is refused, and no other program can take the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on sockets created with IPPROTO_TCP; without it small messages are delayed by 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener
