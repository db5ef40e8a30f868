"""The part of WebDriver that a Selenium Grid needs: create a session, keep it alive, delete it, over plain HTTP.

Everything else goes over the session's CDP endpoint. Knows nothing of Playwright.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import h11

from browser_pilot.errors import GridUnavailable

MAX_RESPONSE_BYTES = 4 * 1024 * 1024
RESPONSE_TIMEOUT_SECONDS = 20.0


@dataclass(frozen=True)
class GridSession:
    """``cdp_urls`` lead to the same browser: first directly to its node, then through the Grid."""

    id: str
    cdp_urls: tuple[str, ...]


class NoBrowserStarted(GridUnavailable):
    """The Grid responds but could not start a browser."""


class Grid:
    def __init__(self, url: str) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._secure else 80)
        self._base = parts.path.rstrip("/").removesuffix("/wd/hub")

    async def new_session(self, capabilities: Mapping[str, object]) -> GridSession:
        """Create a session; returns when the Grid has a free slot. No timeout of its own: cancel it."""
        status, value = await self._send("POST", "/session", {"capabilities": {"alwaysMatch": dict(capabilities)}})
        given = cast("dict[str, Any]", value.get("capabilities") or {})
        through_grid = given.get("se:cdp")
        if status != 200 or not isinstance(through_grid, str):
            raise NoBrowserStarted(
                f"The Grid at {self.url} started no browser: {str(value.get('message') or given)[:300]}",
                suggestions=["Its nodes must offer Chrome or Edge; the Grid's own page shows them."],
            )
        session = str(value["sessionId"])
        node = await self._node_of(session)
        reported = self._netloc(through_grid)
        # A Grid does not know a name that is put in front of it; the address that we use for it works.
        hosts = (*(() if node is None else (self._netloc(node),)), self._netloc(self.url), reported)
        return GridSession(session, tuple(dict.fromkeys(through_grid.replace(reported, one, 1) for one in hosts)))

    async def keep_alive(self, session: str) -> bool:
        """Send a WebDriver command, so that the Grid does not time the session out. Whether it still exists."""
        status, _ = await asyncio.wait_for(self._send("GET", f"/session/{session}/timeouts"), RESPONSE_TIMEOUT_SECONDS)
        return status == 200

    async def delete_session(self, session: str) -> None:
        await asyncio.wait_for(self._send("DELETE", f"/session/{session}"), RESPONSE_TIMEOUT_SECONDS)

    async def _node_of(self, session: str) -> str | None:
        _, status = await asyncio.wait_for(self._send("GET", "/status"), RESPONSE_TIMEOUT_SECONDS)
        for node in cast("list[dict[str, Any]]", status.get("nodes") or []):
            for slot in cast("list[dict[str, Any]]", node.get("slots") or []):
                held = cast("dict[str, Any]", slot.get("session") or {})
                if held.get("sessionId") == session:
                    return str(node.get("externalUri") or node.get("uri") or "") or None
        return None

    @staticmethod
    def _netloc(url: str) -> str:
        return urlsplit(url).netloc

    async def _send(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Status and value. Raises ``GridUnavailable`` when there is no valid response."""
        try:
            reader, writer = await asyncio.open_connection(
                self._host, self._port, ssl=ssl.create_default_context() if self._secure else None
            )
        except OSError as error:
            raise self._unavailable(error) from None
        try:
            writer.write(_request(method, f"{self._base}{path}", f"{self._host}:{self._port}", body))
            status, content = await _read_response(reader)
            response = cast("dict[str, Any]", json.loads(content or b"{}"))
            value = response.get("value")
            return status, cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        except (OSError, ValueError, h11.ProtocolError) as error:
            raise self._unavailable(error) from None
        finally:
            writer.close()

    def _unavailable(self, error: Exception) -> GridUnavailable:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return GridUnavailable(
            f"The Grid at {self.url} does not respond: {reason}.",
            suggestions=["Check that it runs and that browser.grid_url is right; then try again."],
        )


def _request(method: str, path: str, host: str, body: object) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    headers = [("Host", host), ("Connection", "close"), ("Accept", "application/json")]
    if content:
        # The Grid rejects a body without a charset.
        headers += [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(content)))]
    connection = h11.Connection(h11.CLIENT)
    head = connection.send(h11.Request(method=method, target=path, headers=headers)) or b""
    data = connection.send(h11.Data(data=content)) or b"" if content else b""
    return head + data + (connection.send(h11.EndOfMessage()) or b"")


async def _read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    status, content = 0, bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65_536))
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            content += event.data
            if len(content) > MAX_RESPONSE_BYTES:
                raise ValueError("too long")
        elif isinstance(event, h11.EndOfMessage):
            return status, bytes(content)
        elif isinstance(event, h11.ConnectionClosed):
            raise ValueError("no response")
