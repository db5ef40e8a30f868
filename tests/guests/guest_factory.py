"""Guests for tests, made in memory, and a host that answers what a test tells it to."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from browser_pilot.config import GuestSettings
from browser_pilot.guests.context import CallContext
from browser_pilot.guests.host_errors import HostRefusal
from browser_pilot.guests.house import GuestHouse
from browser_pilot.guests.manifest import GuestTool, parse_manifest
from browser_pilot.guests.modules import CompiledModules
from browser_pilot.guests.packages import Package
from browser_pilot.guests.store import Installed

ANYTHING: dict[str, Any] = {"type": "object"}
DO = GuestTool("do", "Does it.", ANYTHING)

# Answers each call of its tool with what the function `act` makes of the arguments.
LOOP = """
const reply = (id, more) => MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id, ...more }));
async function answer(request) {
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
    if (request.method === "tools/call") answer(request);
  }
})();
"""


def script(act: str) -> str:
    """A guest's script around `act`, the body of an async function of (args)."""
    return f"async function act(args, request) {{ {act} }}\n{LOOP}"


def package(code: str | bytes, *, name: str = "testing", **manifest: Any) -> Package:
    """A guest of a script (text) or a module (bytes)."""
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


Answer = Callable[[CallContext | None, str, Mapping[str, Any]], Any]


class FakeHost:
    """Answers host requests by a function; remembers what was asked, and by whom."""

    def __init__(self, answer: Answer | None = None) -> None:
        self._answer = answer
        self.asked: list[tuple[CallContext | None, str, Mapping[str, Any]]] = []

    async def serve(
        self, guest: Installed, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        self.asked.append((context, method, params))
        if self._answer is None:
            raise HostRefusal("ERR_PERMISSION_DENIED", "no")
        answer = self._answer(context, method, params)
        return await answer if asyncio.iscoroutine(answer) else answer


class House:
    """A house with one guest, and how to call it."""

    def __init__(self, house: GuestHouse, guest: Installed) -> None:
        self.house = house
        self.guest = guest

    async def call(self, *, tool: GuestTool = DO, context: CallContext | None = None, **arguments: Any) -> str:
        """The text that the guest answers with."""
        answer = await self.house.call(self.guest.name, tool, arguments, context or _context())
        return "\n".join(str(block["text"]) for block in answer["content"])

    @property
    def log(self) -> str:
        path = self.house.store.log_path(self.guest.name)
        return path.read_text(encoding="utf-8") if path.exists() else ""


_context = context


@asynccontextmanager
async def living(
    guest: Package,
    home: Path,
    modules: Path,
    *,
    host: FakeHost | None = None,
    settings: GuestSettings | None = None,
    secrets: Mapping[str, str] | None = None,
) -> AsyncGenerator[House]:
    """A guest that has been added to a home, in a house of its own."""
    # Without one that is kept ready, which most tests have no use for.
    chosen = settings or GuestSettings(keep_ready=False)
    house = GuestHouse(
        home,
        settings=lambda: chosen,
        host=host or FakeHost(),
        secret_of=lambda _guest, name: (secrets or {}).get(name),
        redact=str,
        modules=CompiledModules(modules),
    )
    installed = house.store.put(guest, guest.manifest.tools or (DO,), source="a test")
    await house.refresh()
    try:
        yield House(house, installed)
    finally:
        await house.close()


class Lateness:
    """How late this process's own timers are, at worst, while inside: what a busy machine adds to any time limit."""

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
