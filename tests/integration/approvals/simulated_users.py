"""Simulated users for tests: they respond to elicitation requests, or decide pending approvals over HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from tests.hub_process import HubProcess, environment

WAIT_SECONDS = 60


def form_response(label: str) -> ElicitResult:
    return ElicitResult(action="accept", content={"answer": label})


@dataclass
class SimulatedUser:
    """Responds to each elicitation with the next of ``scripted``. With none left, it waits for one in ``responses``."""

    scripted: list[ElicitResult] = field(default_factory=list[ElicitResult])
    forms: list[ElicitRequestFormParams] = field(default_factory=list[ElicitRequestFormParams])
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    responses: asyncio.Queue[ElicitResult] = field(default_factory=asyncio.Queue[ElicitResult])
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.forms.append(params)
        self.shown.set()
        if self.scripted:
            return self.scripted.pop(0)
        try:
            return await self.responses.get()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def wait_for_form(self) -> None:
        await asyncio.wait_for(self.shown.wait(), WAIT_SECONDS)
        self.shown.clear()


@asynccontextmanager
async def asking_client(
    hub: HubProcess, person: ElicitationFnT | None, *, era: str = "legacy", name: str = "", query: str = ""
) -> AsyncGenerator[Client]:
    """An HTTP client whose user is ``person``; without one it does not support elicitation."""
    query = f"?client={name}" if name else query
    async with httpx2.AsyncClient(headers=hub.headers, timeout=60) as http:
        transport = streamable_http_client(hub.mcp_url + query, http_client=http)
        async with Client(transport, mode=era, elicitation_callback=person) as client:
            yield client


@asynccontextmanager
async def stdio_asking_client(home: Path, person: SimulatedUser, *, era: str = "legacy") -> AsyncGenerator[Client]:
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "browser_pilot"], env=environment(home))
    async with Client(stdio_client(parameters), mode=era, elicitation_callback=person) as client:
        yield client


class Watcher:
    """Reads the hub's event stream of approvals."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.present = asyncio.Event()

    async def next(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.events.get(), WAIT_SECONDS)

    async def read(self, hub: HubProcess) -> None:
        async with (
            httpx2.AsyncClient(headers=hub.headers, timeout=60) as http,
            http.stream("GET", f"http://127.0.0.1:{hub.info.port}/api/approvals/events") as response,
        ):
            assert response.status_code == 200
            async for line in response.aiter_lines():
                self.present.set()
                if line.startswith("data: "):
                    self.events.put_nowait(json.loads(line.removeprefix("data: ")))


@asynccontextmanager
async def watching(hub: HubProcess) -> AsyncGenerator[Watcher]:
    watcher = Watcher()
    reading = asyncio.create_task(watcher.read(hub))
    await asyncio.wait_for(watcher.present.wait(), WAIT_SECONDS)
    try:
        yield watcher
    finally:
        reading.cancel()
        await asyncio.wait({reading})


def pending(hub: HubProcess) -> list[dict[str, Any]]:
    with hub.http() as http:
        return http.get("/api/approvals").json()


def decide(hub: HubProcess, approval_id: str, choice: str, *, channel: str = "test") -> int:
    with hub.http() as http:
        return http.post(f"/api/approvals/{approval_id}", json={"choice": choice, "door": channel}).status_code


def configure(home: Path, text: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")
