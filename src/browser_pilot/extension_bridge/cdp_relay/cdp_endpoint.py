"""`/cdp/ID`: where our own Playwright connects, once per session, with a secret in a header. No browser gets in."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from .cdp_client import CdpClient
from .outgoing import Outgoing
from .wire import Json

logger = logging.getLogger(__name__)


class CdpDoor:
    def __init__(self, find: Callable[[str], CdpClient | None], note: Callable[[str, dict[str, str]], None]) -> None:
        self._find = find
        self._note = note

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        socket = WebSocket(scope, receive, send)
        client = self._find(str(socket.path_params.get("client", "")))
        reason = self._refusal(socket, client)
        if reason is not None or client is None:
            self._note("cdp_refused", {"reason": reason or "unknown"})
            await socket.close(1008)
            return
        client.taken = True
        await socket.accept()
        await self._converse(socket, client)

    @staticmethod
    def _refusal(socket: WebSocket, client: CdpClient | None) -> str | None:
        if "origin" in socket.headers:
            return "origin"
        given = socket.headers.getlist("authorization")
        expected = f"Bearer {client.secret if client is not None else ''}"
        if client is None or len(given) != 1 or not hmac.compare_digest(given[0].encode(), expected.encode()):
            return "secret"
        return "second connection" if client.taken else None

    async def _converse(self, socket: WebSocket, client: CdpClient) -> None:
        async def send(messages: list[Json]) -> None:
            for message in messages:
                await socket.send_text(json.dumps(message, separators=(",", ":")))

        out: Outgoing[Json] = Outgoing(send)
        client.connect(out)
        writing = asyncio.create_task(out.run())
        try:
            while True:
                client.handle(json.loads(await socket.receive_text()))
        except (WebSocketDisconnect, RuntimeError):
            logger.debug("a session let go of its browser")
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await writing
            client.disconnect()
