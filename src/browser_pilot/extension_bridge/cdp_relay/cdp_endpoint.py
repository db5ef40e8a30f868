"""`/cdp/ID`: where our own Playwright connects, once per session, with a secret in a header. Browsers are rejected."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from browser_pilot.extension_bridge.send_queue import SendQueue
from browser_pilot.json_types import JsonObject

from .cdp_client import CdpClient

logger = logging.getLogger(__name__)


class CdpEndpoint:
    def __init__(
        self, find: Callable[[str], CdpClient | None], record_note: Callable[[str, dict[str, str]], None]
    ) -> None:
        self._find = find
        self._record_note = record_note

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        socket = WebSocket(scope, receive, send)
        client = self._find(str(socket.path_params.get("client", "")))
        reason = self._rejection(socket, client)
        if reason is not None or client is None:
            self._record_note("cdp_refused", {"reason": reason or "unknown"})
            await socket.close(1008)
            return
        client.claimed = True
        await socket.accept()
        await self._serve(socket, client)

    @staticmethod
    def _rejection(socket: WebSocket, client: CdpClient | None) -> str | None:
        if "origin" in socket.headers:
            return "origin"
        tokens = socket.headers.getlist("authorization")
        expected = f"Bearer {client.secret if client is not None else ''}"
        if client is None or len(tokens) != 1 or not hmac.compare_digest(tokens[0].encode(), expected.encode()):
            return "secret"
        return "second connection" if client.claimed else None

    async def _serve(self, socket: WebSocket, client: CdpClient) -> None:
        async def send(messages: list[JsonObject]) -> None:
            for message in messages:
                await socket.send_text(json.dumps(message, separators=(",", ":")))

        out: SendQueue[JsonObject] = SendQueue(send)
        client.connect(out)
        writer = asyncio.create_task(out.run())
        try:
            while True:
                client.handle_message(json.loads(await socket.receive_text()))
        except (WebSocketDisconnect, RuntimeError):
            logger.debug("a CDP client disconnected")
        finally:
            writer.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await writer
            client.disconnect()
