"""The extension's side of the bridge in Python: correct by default, and wrong where a test wants it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from browser_pilot.extension_bridge.mutual_auth import Handshake, key_from_code, new_nonce, proof_of
from browser_pilot.extension_bridge.protocol import EXTENSION_ORIGIN, PROTOCOL_VERSION
from tests.hub_process import HubProcess


class Refused(Exception):
    """The hub said no: its message, or the status of a refused handshake."""


@dataclass
class FakeBrowser:
    port: int
    browser: str | None = None
    key: str = ""
    code: str = ""
    instance: str = "instance"
    origin: str | None = EXTENSION_ORIGIN
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    proof: str | None = None
    nonce: str = field(default_factory=new_nonce)
    seen_proof: str = ""

    @asynccontextmanager
    async def socket(self) -> AsyncGenerator[ClientConnection]:
        origin: Any = self.origin
        async with connect(f"ws://127.0.0.1:{self.port}/bridge", origin=origin, ping_interval=None) as socket:
            yield socket

    async def greet(self, socket: ClientConnection) -> dict[str, Any]:
        """Run the handshake; the hub's welcome, or ``Refused``."""
        hello = {
            "type": "hello",
            "protocol": PROTOCOL_VERSION,
            "version": "1.0",
            "agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0",
            "instance": self.instance,
            "nonce": self.nonce,
            "browser": self.browser,
            **self.more,
        }
        await socket.send(json.dumps(hello))
        challenge = await self._answer(socket)
        self.browser = challenge["browser"]
        handshake = Handshake(challenge["browser"], self.nonce, challenge["nonce"])
        if not self.key:
            self.key = key_from_code(self.code, handshake)
        self.seen_proof = self.proof or proof_of(self.key, "browser", handshake)
        await socket.send(json.dumps({"type": "proof", "proof": self.seen_proof}))
        return await self._answer(socket)

    async def live(self, socket: ClientConnection) -> None:
        """Share no tab, and respond to pings until the connection closes."""
        await socket.send(json.dumps([{"event": "controlledTabs.changed", "args": [[]]}]))
        try:
            async for text in socket:
                pongs = [{"pong": message["ping"]} for message in json.loads(text) if "ping" in message]
                await socket.send(json.dumps(pongs))
        except ConnectionClosed:
            return

    @staticmethod
    async def _answer(socket: ClientConnection) -> dict[str, Any]:
        try:
            async with asyncio.timeout(60):
                response: dict[str, Any] = json.loads(await socket.recv())
        except ConnectionClosed as error:
            raise Refused("closed") from error
        if response["type"] == "refused":
            raise Refused(response["reason"])
        return response


def open_code(hub: HubProcess) -> str:
    with hub.http() as http:
        return str(http.post("/api/pairing").json()["code"])


async def paired(hub: HubProcess) -> FakeBrowser:
    """A browser with a key, not connected now."""
    browser = FakeBrowser(hub.info.port, code=open_code(hub))
    async with browser.socket() as socket:
        await browser.greet(socket)
    return FakeBrowser(hub.info.port, browser=browser.browser, key=browser.key)
