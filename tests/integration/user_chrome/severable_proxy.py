"""A TCP proxy in front of the hub whose connections a test can sever all at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class SeverableProxy:
    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, back}
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        self._writers -= {writer, back}

    def sever(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    @staticmethod
    async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def severable_proxy(port: int, *, at: int = 0) -> AsyncGenerator[SeverableProxy]:
    proxy = SeverableProxy(port)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", at)
    proxy.port = server.sockets[0].getsockname()[1]
    yield proxy
    server.close()
    proxy.sever()
