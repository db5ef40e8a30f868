"""`/bridge`: where the extension connects. Requires its exact origin, its exact version, and mutual proof of a key.

A browser without a key is accepted only while a pairing code is open. A rejected client gets the reason in a sentence
for the user, and the attempt is recorded in the audit log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from browser_pilot import __version__
from browser_pilot.json_types import JsonObject

from .extension_connection import ExtensionConnection
from .mutual_auth import Handshake, is_valid_proof, key_from_code, new_nonce, proof_of
from .paired_browsers import PairedBrowser, PairedBrowserStore, new_browser_id
from .pairing import PairingCodes
from .protocol import (
    EXTENSION_ORIGIN,
    PROTOCOL_VERSION,
    Hello,
    Pong,
    ProtocolError,
    encode_frame,
    parse_frame,
    parse_hello,
    parse_proof,
)
from .send_queue import SendQueue

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_SECONDS = 10.0
PING_INTERVAL_SECONDS = 4.0
SILENCE_TIMEOUT_SECONDS = 12.0
LIVENESS_TIMEOUT_SECONDS = 1.0
CLOSE_CODE_REJECTED = 4000
UNKNOWN_BROWSER = "The hub does not know this browser (any more). Pair it again: browser-pilot pair"

RecordNote = Callable[[str, dict[str, str]], None]


class ConnectionRejected(Exception):
    """``reason`` is for the audit log, the message for the user."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class ExtensionSocket:
    """One authenticated socket of one browser."""

    def __init__(self, socket: WebSocket, instance: str) -> None:
        self.instance = instance
        self.received = asyncio.Event()
        self.out: SendQueue[JsonObject] = SendQueue(self._send)
        self._socket = socket

    async def _send(self, messages: list[JsonObject]) -> None:
        await self._socket.send_text(encode_frame(messages))

    async def is_alive(self) -> bool:
        """Whether the browser still responds to a ping."""
        self.received.clear()
        self.out.put({"ping": -1})
        try:
            async with asyncio.timeout(LIVENESS_TIMEOUT_SECONDS):
                await self.received.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await self._socket.close(CLOSE_CODE_REJECTED)


class ExtensionEndpoint:
    """``connection_of`` returns the connection of a paired browser; ``record_note`` records accepted and rejected
    clients.
    """

    def __init__(
        self,
        *,
        store: PairedBrowserStore,
        pairing_codes: PairingCodes,
        connection_of: Callable[[PairedBrowser, Hello], ExtensionConnection],
        record_note: RecordNote,
        on_change: Callable[[], None],
    ) -> None:
        self._store = store
        self._pairing_codes = pairing_codes
        self._connection_of = connection_of
        self._record_note = record_note
        self._on_change = on_change
        self._connections: dict[str, ExtensionSocket] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        socket = WebSocket(scope, receive, send)
        origins = socket.headers.getlist("origin")
        if origins != [EXTENSION_ORIGIN]:
            self._record_note("bridge_refused", {"reason": "origin", "origin": ", ".join(origins)[:200]})
            await socket.close(1008)
            return
        await socket.accept()
        try:
            browser, hello = await self._handshake(socket)
        except ConnectionRejected as rejection:
            self._record_note("bridge_refused", {"reason": rejection.reason})
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.send_json({"type": "refused", "reason": rejection.reason, "message": rejection.message})
                await socket.close(CLOSE_CODE_REJECTED)
        except (TimeoutError, ProtocolError, WebSocketDisconnect):
            self._record_note("bridge_refused", {"reason": "no greeting"})
            if socket.client_state is WebSocketState.CONNECTED:
                with suppress(RuntimeError, WebSocketDisconnect):
                    await socket.close(1002)
        else:
            await self._serve(socket, browser, hello)

    async def forget(self, browser: PairedBrowser) -> None:
        connection = self._connections.pop(browser.id, None)
        if connection is not None:
            connection.out.put({"notice": "pairing.removed", "data": None})
            await connection.is_alive()
            await connection.close()

    async def close(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    async def _handshake(self, socket: WebSocket) -> tuple[PairedBrowser, Hello]:
        async with asyncio.timeout(HANDSHAKE_TIMEOUT_SECONDS):
            hello = parse_hello(await _text(socket))
            if hello.protocol != PROTOCOL_VERSION:
                raise ConnectionRejected("version", _version_mismatch(hello))
            hub_nonce = new_nonce()
            known = self._store.get(hello.browser) if hello.browser is not None else None
            if hello.browser is not None and known is None:
                raise ConnectionRejected("unknown browser", UNKNOWN_BROWSER)
            handshake = Handshake(known.id if known else new_browser_id(), hello.nonce, hub_nonce)
            key = known.key if known else await self._key_from_code(handshake)
            challenge = {"type": "challenge", "nonce": hub_nonce, "proof": proof_of(key, "hub", handshake)}
            await socket.send_json({**challenge, "browser": handshake.browser})
            if not is_valid_proof(parse_proof(await _text(socket)).proof, key, "browser", handshake):
                raise ConnectionRejected(
                    "proof", "The key of this browser is not right. Pair it again: browser-pilot pair"
                )
        if known is not None:
            await self._replace_earlier(known, hello)
            if self._store.get(known.id) is None:
                raise ConnectionRejected("unknown browser", UNKNOWN_BROWSER)  # forgotten during the handshake
            return known, hello
        self._pairing_codes.close()
        browser = self._store.add(handshake.browser, hello.agent, key, time.time())
        self._record_note("browser_paired", {"browser": browser.id, "name": browser.name})
        return browser, hello

    async def _key_from_code(self, handshake: Handshake) -> str:
        code = self._pairing_codes.use_try(time.time())
        if code is None:
            raise ConnectionRejected("no code", "No pairing code is open. Get one with: browser-pilot pair")
        return await asyncio.to_thread(key_from_code, code, handshake)

    async def _replace_earlier(self, browser: PairedBrowser, hello: Hello) -> None:
        """Close an earlier connection that is dead or of the same browser instance; any other rejects the new one."""
        earlier = self._connections.get(browser.id)
        if earlier is None:
            return
        if earlier.instance != hello.instance and await earlier.is_alive():
            raise ConnectionRejected(
                "second claimant", f"{browser.name} is connected already, from another copy of its profile."
            )
        await earlier.close()

    async def _serve(self, socket: WebSocket, browser: PairedBrowser, hello: Hello) -> None:
        link = self._connection_of(browser, hello)
        connection = self._connections[browser.id] = ExtensionSocket(socket, hello.instance)
        tasks: list[asyncio.Task[None]] = []
        try:
            await socket.send_json({"type": "welcome", "hub": __version__, "name": browser.name})
            link.connect(connection.out)
            self._on_change()
            logger.info("%s is connected (extension %s)", browser.name, hello.version)
            tasks = [
                asyncio.create_task(_ignore_disconnect(connection.out.run())),
                asyncio.create_task(_ping(connection.out)),
            ]
            await self._receive(socket, connection, link)
        except (WebSocketDisconnect, RuntimeError, TimeoutError, ProtocolError) as error:
            logger.info("%s disconnected: %r", browser.name, error)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._connections.get(browser.id) is connection:
                del self._connections[browser.id]
            link.disconnect(connection.out)
            self._on_change()
            await connection.close()

    async def _receive(self, socket: WebSocket, connection: ExtensionSocket, link: ExtensionConnection) -> None:
        while True:
            async with asyncio.timeout(SILENCE_TIMEOUT_SECONDS):
                text = await _text(socket)
            connection.received.set()
            for message in parse_frame(text):
                if not isinstance(message, Pong):
                    link.receive(message)


async def _text(socket: WebSocket) -> str:
    try:
        return await socket.receive_text()
    except KeyError:
        raise ProtocolError("not text") from None


async def _ping(out: SendQueue[JsonObject]) -> None:
    number = 0
    while True:
        await asyncio.sleep(PING_INTERVAL_SECONDS)
        number += 1
        out.put({"ping": number})


async def _ignore_disconnect(work: Awaitable[None]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        await work


def _version_mismatch(hello: Hello) -> str:
    if hello.protocol < PROTOCOL_VERSION:
        return f"The extension ({hello.version}) is older than the hub ({__version__}): update the extension."
    return f"The hub ({__version__}) is older than the extension ({hello.version}): update Browser Pilot."
