"""`/bridge`: where the extension connects. Only it gets in: exact origin, exact version, and a key proved both ways.

A newcomer without a key must be expected: a person has just asked for a code. Whoever is turned away is told why in a
sentence for the user, and the attempt is noted.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from .. import __version__
from .browsers import BrowserStore, PairedBrowser, fresh_browser_id
from .link import BrowserLink
from .outgoing import Outgoing
from .pairing import PairingDesk
from .proofs import Exchange, fresh_nonce, is_proof, key_from_code, proof_of
from .wire import (
    EXTENSION_ORIGIN,
    PROTOCOL,
    Hello,
    Json,
    Pong,
    WireError,
    frame_of,
    parse_frame,
    parse_hello,
    parse_proof,
)

logger = logging.getLogger(__name__)

GREETING_SECONDS = 10.0
PING_SECONDS = 4.0
SILENCE_SECONDS = 12.0
CLAIM_SECONDS = 1.0
REFUSED = 4000

Note = Callable[[str, dict[str, str]], None]


class TurnedAway(Exception):
    """``reason`` is for the record, the message for the user."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Connection:
    """One socket of one browser, proved."""

    def __init__(self, socket: WebSocket, instance: str) -> None:
        self.instance = instance
        self.heard = asyncio.Event()
        self.out: Outgoing[Json] = Outgoing(self._send)
        self._socket = socket

    async def _send(self, messages: list[Json]) -> None:
        await self._socket.send_text(frame_of(messages))

    async def is_alive(self) -> bool:
        """Whether the browser at the other end still answers."""
        self.heard.clear()
        self.out.put({"ping": -1})
        try:
            async with asyncio.timeout(CLAIM_SECONDS):
                await self.heard.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await self._socket.close(REFUSED)


class Door:
    """``link_of`` gives the link of a paired browser; ``note`` is told of everyone who comes, and who is refused."""

    def __init__(
        self,
        *,
        store: BrowserStore,
        desk: PairingDesk,
        link_of: Callable[[PairedBrowser, Hello], BrowserLink],
        note: Note,
        changed: Callable[[], None],
    ) -> None:
        self._store = store
        self._desk = desk
        self._link_of = link_of
        self._note = note
        self._changed = changed
        self._connections: dict[str, Connection] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        socket = WebSocket(scope, receive, send)
        origins = socket.headers.getlist("origin")
        if origins != [EXTENSION_ORIGIN]:
            self._note("bridge_refused", {"reason": "origin", "origin": ", ".join(origins)[:200]})
            await socket.close(1008)
            return
        await socket.accept()
        try:
            browser, hello = await self._greet(socket)
        except TurnedAway as refusal:
            self._note("bridge_refused", {"reason": refusal.reason})
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.send_json({"type": "refused", "reason": refusal.reason, "message": refusal.message})
                await socket.close(REFUSED)
        except (TimeoutError, WireError, WebSocketDisconnect):
            self._note("bridge_refused", {"reason": "no greeting"})
            if socket.client_state is WebSocketState.CONNECTED:
                with suppress(RuntimeError, WebSocketDisconnect):
                    await socket.close(1002)
        else:
            await self._converse(socket, browser, hello)

    async def forget(self, browser: PairedBrowser) -> None:
        connection = self._connections.pop(browser.id, None)
        if connection is not None:
            connection.out.put({"notice": "forgotten", "data": None})
            await connection.is_alive()
            await connection.close()

    async def close(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    async def _greet(self, socket: WebSocket) -> tuple[PairedBrowser, Hello]:
        async with asyncio.timeout(GREETING_SECONDS):
            hello = parse_hello(await _text(socket))
            if hello.protocol != PROTOCOL:
                raise TurnedAway("version", _mismatch(hello))
            hub_nonce = fresh_nonce()
            known = self._store.get(hello.browser) if hello.browser is not None else None
            if hello.browser is not None and known is None:
                raise TurnedAway(
                    "unknown browser",
                    "The hub does not know this browser (any more). Pair it again: browser-pilot pair",
                )
            exchange = Exchange(known.id if known else fresh_browser_id(), hello.nonce, hub_nonce)
            key = known.key if known else await self._key_of_newcomer(exchange)
            challenge = {"type": "challenge", "nonce": hub_nonce, "proof": proof_of(key, "hub", exchange)}
            await socket.send_json({**challenge, "browser": exchange.browser})
            if not is_proof(parse_proof(await _text(socket)).proof, key, "browser", exchange):
                raise TurnedAway("proof", "The key of this browser is not right. Pair it again: browser-pilot pair")
        if known is not None:
            await self._only_claimant(known, hello)
            return known, hello
        self._desk.close()
        browser = self._store.add(exchange.browser, hello.agent, key, time.time())
        self._note("browser_paired", {"browser": browser.id, "name": browser.name})
        return browser, hello

    async def _key_of_newcomer(self, exchange: Exchange) -> str:
        code = self._desk.take_try(time.time())
        if code is None:
            raise TurnedAway("no code", "The hub expects no new browser. Ask it for a code: browser-pilot pair")
        return await asyncio.to_thread(key_from_code, code, exchange)

    async def _only_claimant(self, browser: PairedBrowser, hello: Hello) -> None:
        """A second connection replaces one that is dead or the browser's own earlier one, and no other."""
        earlier = self._connections.get(browser.id)
        if earlier is None:
            return
        if earlier.instance != hello.instance and await earlier.is_alive():
            raise TurnedAway(
                "second claimant", f"{browser.name} is connected already, from another copy of its profile."
            )
        await earlier.close()

    async def _converse(self, socket: WebSocket, browser: PairedBrowser, hello: Hello) -> None:
        link = self._link_of(browser, hello)
        connection = self._connections[browser.id] = Connection(socket, hello.instance)
        tasks: list[asyncio.Task[None]] = []
        try:
            await socket.send_json({"type": "welcome", "hub": __version__, "name": browser.name})
            link.connect(connection.out)
            self._changed()
            logger.info("%s is connected (extension %s)", browser.name, hello.version)
            tasks = [asyncio.create_task(_quietly(connection.out.run())), asyncio.create_task(_ping(connection.out))]
            await self._listen(socket, connection, link)
        except (WebSocketDisconnect, RuntimeError, TimeoutError, WireError) as error:
            logger.info("%s went away: %r", browser.name, error)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._connections.get(browser.id) is connection:
                del self._connections[browser.id]
            link.disconnect(connection.out)
            self._changed()
            await connection.close()

    async def _listen(self, socket: WebSocket, connection: Connection, link: BrowserLink) -> None:
        while True:
            async with asyncio.timeout(SILENCE_SECONDS):
                text = await _text(socket)
            connection.heard.set()
            for message in parse_frame(text):
                if not isinstance(message, Pong):
                    link.receive(message)


async def _text(socket: WebSocket) -> str:
    try:
        return await socket.receive_text()
    except KeyError:
        raise WireError("not text") from None


async def _ping(out: Outgoing[Json]) -> None:
    number = 0
    while True:
        await asyncio.sleep(PING_SECONDS)
        number += 1
        out.put({"ping": number})


async def _quietly(work: Awaitable[None]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        await work


def _mismatch(hello: Hello) -> str:
    if hello.protocol < PROTOCOL:
        return f"The extension ({hello.version}) is older than the hub ({__version__}): update the extension."
    return f"The hub ({__version__}) is older than the extension ({hello.version}): update Browser Pilot."
