"""As much of WebDriver as a Selenium Grid needs: a session is asked for, kept alive and given back, by plain HTTP.

Everything else goes over the session's CDP endpoint, which Playwright speaks. Knows nothing of Playwright.
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

from ..errors import GridUnavailable

LARGEST_ANSWER = 4 * 1024 * 1024
ANSWER_SECONDS = 20.0


@dataclass(frozen=True)
class GridSession:
    """``cdp_urls`` lead to the same browser: straight to its node first, then through the Grid."""

    id: str
    cdp_urls: tuple[str, ...]


class NodeLost(GridUnavailable):
    """The Grid itself answers, but could not start the browser."""


class Grid:
    def __init__(self, url: str) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._secure else 80)
        self._base = parts.path.rstrip("/").removesuffix("/wd/hub")

    async def new_session(self, capabilities: Mapping[str, object]) -> GridSession:
        """Comes back when the Grid has found a place; how long that may take, its queue decides, or whoever cancels."""
        status, value = await self._send("POST", "/session", {"capabilities": {"alwaysMatch": dict(capabilities)}})
        given = cast("dict[str, Any]", value.get("capabilities") or {})
        through_grid = given.get("se:cdp")
        if status != 200 or not isinstance(through_grid, str):
            raise NodeLost(
                f"The Grid at {self.url} gave no browser: {str(value.get('message') or given)[:300]}",
                suggestions=["Its nodes must offer Chrome or Edge; the Grid's own page shows them."],
            )
        session = str(value["sessionId"])
        node = await self._node_of(session)
        told = self._place(through_grid)
        # A Grid behind a name of its own does not know that name: the address that we use for it works.
        places = (*(() if node is None else (self._place(node),)), self._place(self.url), told)
        return GridSession(session, tuple(dict.fromkeys(through_grid.replace(told, one, 1) for one in places)))

    async def keep(self, session: str) -> bool:
        """Use the session, so that the Grid does not take it for forgotten; whether it still exists."""
        status, _ = await asyncio.wait_for(self._send("GET", f"/session/{session}/timeouts"), ANSWER_SECONDS)
        return status == 200

    async def end(self, session: str) -> None:
        await asyncio.wait_for(self._send("DELETE", f"/session/{session}"), ANSWER_SECONDS)

    async def _node_of(self, session: str) -> str | None:
        _, status = await asyncio.wait_for(self._send("GET", "/status"), ANSWER_SECONDS)
        for node in cast("list[dict[str, Any]]", status.get("nodes") or []):
            for slot in cast("list[dict[str, Any]]", node.get("slots") or []):
                held = cast("dict[str, Any]", slot.get("session") or {})
                if held.get("sessionId") == session:
                    return str(node.get("externalUri") or node.get("uri") or "") or None
        return None

    @staticmethod
    def _place(url: str) -> str:
        return urlsplit(url).netloc

    async def _send(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Status and value. Raises ``GridUnavailable`` when there is no answer that could be one of a Grid."""
        try:
            reader, writer = await asyncio.open_connection(
                self._host, self._port, ssl=ssl.create_default_context() if self._secure else None
            )
        except OSError as error:
            raise self._lost(error) from None
        try:
            writer.write(_request(method, f"{self._base}{path}", f"{self._host}:{self._port}", body))
            status, content = await _answer(reader)
            answer = cast("dict[str, Any]", json.loads(content or b"{}"))
            value = answer.get("value")
            return status, cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        except (OSError, ValueError, h11.ProtocolError) as error:
            raise self._lost(error) from None
        finally:
            writer.close()

    def _lost(self, error: Exception) -> GridUnavailable:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return GridUnavailable(
            f"The Grid at {self.url} does not answer: {reason}.",
            suggestions=["Check that it runs and that browser.grid_url is right; then try again."],
        )


def _request(method: str, path: str, host: str, body: object) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    headers = [("Host", host), ("Connection", "close"), ("Accept", "application/json")]
    if content:
        # The Grid refuses a body whose charset it is not told.
        headers += [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(content)))]
    connection = h11.Connection(h11.CLIENT)
    head = connection.send(h11.Request(method=method, target=path, headers=headers)) or b""
    data = connection.send(h11.Data(data=content)) or b"" if content else b""
    return head + data + (connection.send(h11.EndOfMessage()) or b"")


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
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
            if len(content) > LARGEST_ANSWER:
                raise ValueError("too long")
        elif isinstance(event, h11.EndOfMessage):
            return status, bytes(content)
        elif isinstance(event, h11.ConnectionClosed):
            raise ValueError("no answer")
