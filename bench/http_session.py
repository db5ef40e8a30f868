"""Client of the hub over HTTP: a session that needs no process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import httpx

from browser_pilot.hub_discovery.runtime_file import read_runtime

from .rpc import CALL_TIMEOUT_SECONDS, PROTOCOL_VERSION, CallFailed, JsonObject


class HttpSession:
    def __init__(self, home: Path) -> None:
        hub = read_runtime(home)
        if hub is None:
            raise CallFailed("no hub is running in this home")
        headers = {"Authorization": f"Bearer {hub.token}", "Accept": "application/json, text/event-stream"}
        self._url = f"http://127.0.0.1:{hub.port}/mcp"
        self._http = httpx.Client(headers=headers, timeout=CALL_TIMEOUT_SECONDS)
        about = {"name": "bench", "version": "1"}
        self._post("initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": about}, id=1)
        self._post("notifications/initialized", {})

    def navigate(self, url: str) -> None:
        self.call("browser_navigate", url=url)

    def call(self, tool: str, **arguments: object) -> None:
        result = self._post("tools/call", {"name": tool, "arguments": arguments}, id=2)
        if result.get("isError"):
            raise CallFailed(f"{tool}: {json.dumps(result)[:300]}")

    def close(self) -> None:
        self._http.delete(self._url)
        self._http.close()

    def _post(self, method: str, params: JsonObject, **more: int) -> JsonObject:
        try:
            response = self._http.post(self._url, json={"jsonrpc": "2.0", "method": method, "params": params, **more})
            response.raise_for_status()
        except httpx.HTTPError as error:
            raise CallFailed(f"{method}: {error}") from error
        if session := response.headers.get("mcp-session-id"):
            self._http.headers["mcp-session-id"] = session
        messages = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: {")]
        return cast(JsonObject, json.loads(messages[-1])["result"]) if messages else {}
