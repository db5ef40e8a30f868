"""Guests for tests, built in memory, and a host whose responses a test decides."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from browser_pilot.config.settings import GuestSettings
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.compiled_modules import CompiledModules
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.guests.installed.guest_store import InstalledGuest
from browser_pilot.guests.installed.manifest import GuestTool, parse_manifest
from browser_pilot.guests.installed.packages import Package
from browser_pilot.guests.manager import GuestManager

SCRIPT = "const a = 1;"
MANIFEST: dict[str, Any] = {
    "manifestVersion": "1.0.0",
    "id": "my-guest",
    "name": "My Guest",
    "version": "2.1.0",
    "runtime": "js",
    "scriptUrl": "server.js",
    "capabilities": {"network": {"required": True, "hosts": ["api.example.com", "*.example.org"]}},
    "environment": [{"name": "MAX", "type": "number", "default": 10}, {"name": "ON", "default": True}],
    "secrets": [{"name": "KEY", "label": "Your key", "optional": True}, {"name": "TOKEN", "description": "It"}],
    "tools": [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}],
    "oauth": {"provider": "google"},
}
ANYTHING: dict[str, Any] = {"type": "object"}
DO = GuestTool("do", "Does it.", ANYTHING)

# Responds to each call with the result of the function `act` for its arguments.
LOOP = """
const reply = (id, more) => MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id, ...more }));
async function handle(request) {
  try {
    const value = await act(request.params.arguments ?? {}, request);
    const text = typeof value === "string" ? value : JSON.stringify(value) ?? "undefined";
    reply(request.id, { result: { content: [{ type: "text", text }] } });
  } catch (error) {
    reply(request.id, { error: { code: -32000, message: String(error?.message ?? error), data: error?.code } });
  }
}
(async () => {
  for (;;) {
    const request = JSON.parse(await MCP.readLine());
    if (request.method === "tools/call") handle(request);
  }
})();
"""


def script(act: str) -> str:
    """A guest's script around `act`, the body of an async function of (args)."""
    return f"async function act(args, request) {{ {act} }}\n{LOOP}"


def package(code: str | bytes, *, name: str = "testing", **manifest: Any) -> Package:
    """A guest from a script (text) or a module (bytes)."""
    described: dict[str, Any] = {"manifestVersion": "1.0.0", "name": name, "version": "1.0.0"}
    if isinstance(code, str):
        described |= {"runtime": "js", "scriptBase64": base64.b64encode(code.encode()).decode()}
    else:
        described |= {"wasm": {"file": "guest.wasm"}}
    data = json.dumps({**described, **manifest}).encode()
    return Package(parse_manifest(data), data, code.encode() if isinstance(code, str) else code)


def context(**changes: Any) -> CallContext:
    given: dict[str, Any] = {
        "origin": "client:test-1",
        "client": "test-1",
        "client_name": "test",
        "tool": "testing__do",
    }
    return CallContext(**{**given, **changes})


Respond = Callable[[CallContext | None, str, Mapping[str, Any]], Any]


class FakeHost:
    """Handles host requests by a function; records them with their context."""

    def __init__(self, respond: Respond | None = None) -> None:
        self._respond = respond
        self.requests: list[tuple[CallContext | None, str, Mapping[str, Any]]] = []

    async def handle(
        self, guest: InstalledGuest, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        self.requests.append((context, method, params))
        if self._respond is None:
            raise HostError("ERR_PERMISSION_DENIED", "no")
        response = self._respond(context, method, params)
        return await response if asyncio.iscoroutine(response) else response


class TestGuest:
    """A manager with one guest."""

    __test__ = False

    def __init__(self, manager: GuestManager, guest: InstalledGuest) -> None:
        self.manager = manager
        self.guest = guest

    async def call(self, *, tool: GuestTool = DO, context: CallContext | None = None, **arguments: Any) -> str:
        """The text of the guest's result."""
        result = await self.manager.call(self.guest.name, tool, arguments, context or _context())
        return "\n".join(str(block["text"]) for block in result["content"])

    @property
    def log(self) -> str:
        path = self.manager.store.log_path(self.guest.name)
        return path.read_text(encoding="utf-8") if path.exists() else ""


_context = context


@asynccontextmanager
async def running_guest(
    guest: Package,
    home: Path,
    modules: Path,
    *,
    host: FakeHost | None = None,
    settings: GuestSettings | None = None,
    secrets: Mapping[str, str] | None = None,
) -> AsyncGenerator[TestGuest]:
    """A guest that is installed in a home, with a manager of its own."""
    # Without a warm process, which most tests do not need.
    chosen = settings or GuestSettings(keep_ready=False)
    manager = GuestManager(
        home,
        settings=lambda: chosen,
        host=host or FakeHost(),
        secret_of=lambda _guest, name: (secrets or {}).get(name),
        redact=str,
        modules=CompiledModules(modules),
    )
    installed = manager.store.install(guest, guest.manifest.tools or (DO,), source="a test")
    await manager.refresh()
    try:
        yield TestGuest(manager, installed)
    finally:
        await manager.close()


class Lateness:
    """The worst delay of this process's timers inside the block: what a busy machine adds to any limit."""

    def __init__(self) -> None:
        self.worst_seconds = 0.0

    async def __aenter__(self) -> Lateness:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _watch(self) -> None:
        step = 0.02
        while True:
            before = time.monotonic()
            await asyncio.sleep(step)
            self.worst_seconds = max(self.worst_seconds, time.monotonic() - before - step)
