"""The hub's port: the one that is wanted, or any free one (never another program's), and the server behind it."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from .errors import SettingsError
from .runtime import RuntimeInfo


@dataclass(frozen=True)
class Listening:
    """Where the hub can be reached, and what there is to say about it."""

    info: RuntimeInfo
    note: str | None

    @property
    def mcp_url(self) -> str:
        host = f"[{self.info.host}]" if ":" in self.info.host else self.info.host
        return f"http://{host}:{self.info.port}/mcp"


class HttpServer(uvicorn.Server):
    """uvicorn without its signal handlers: the hub has its own, for all its parts."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@contextmanager
def bound_socket(host: str, port: int) -> Generator[tuple[socket.socket, str | None]]:
    """A listening socket at the wanted port, or at any free one with a note that says so."""
    note = None
    try:
        listener = _listener(host, port)
    except OSError as error:
        if port == 0 or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise SettingsError(
                f"hub.host = {host!r}: cannot listen there ({error.strerror}).",
                suggestions=["Use 127.0.0.1, or an address of this machine."],
            ) from None
        listener = _listener(host, 0)
        why = "is taken by another program" if error.errno == errno.EADDRINUSE else "is not ours to use"
        note = f"port {port} {why}; using {listener.getsockname()[1]}"
    with listener:
        yield listener, note


def _listener(host: str, port: int) -> socket.socket:
    """Listens at once: whoever reads the runtime file is never refused, and nobody else can get the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small messages at once only on sockets that name TCP; otherwise each waits 40 ms for the one before.
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
