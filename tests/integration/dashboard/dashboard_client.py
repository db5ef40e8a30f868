"""People at the dashboard, for tests: the way in, and a request as the page makes it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from playwright.async_api import BrowserContext, Page, expect

from ..hub_process import HubProcess

PATIENCE_MS = 15_000


def way_in(hub: HubProcess) -> Path:
    """The file that the hub has just written for `browser-pilot dashboard`."""
    with hub.http() as http:
        return Path(http.post("/api/dashboard").json()["file"])


def ticket_in(file: Path) -> str:
    found = re.search(r'name="ticket" value="([^"]+)"', file.read_text())
    assert found is not None
    return found[1]


def address(hub: HubProcess) -> str:
    return _address(hub.info.port)


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}"


async def enter(context: BrowserContext, hub: HubProcess) -> Page:
    """Open the file as `browser-pilot dashboard` does, and arrive."""
    page = await context.new_page()
    await page.goto(way_in(hub).as_uri(), wait_until="commit")
    await page.wait_for_url(f"{address(hub)}/")
    await expect(page.locator("#live")).to_be_visible(timeout=PATIENCE_MS)
    return page


@dataclass
class Visitor:
    """A visit without a browser: what it holds, and each request exactly as said."""

    port: int
    cookie: str
    key: str
    left_out: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def address(self) -> str:
        return _address(self.port)

    @property
    def headers(self) -> dict[str, str]:
        all_of_them = {
            "Origin": self.address,
            "Cookie": f"browser-pilot-{self.port}={self.cookie}",
            "X-Browser-Pilot-Key": self.key,
        }
        return {name: value for name, value in all_of_them.items() if name not in self.left_out}

    def ask(self, name: str = "state", *, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self.post(f"/dashboard/ask/{name}", headers=headers)

    def post(self, path: str, *, headers: Mapping[str, str] | None = None) -> httpx.Response:
        sent = {**self.headers, **(headers or {})}
        return httpx.post(self.address + path, content=json.dumps({}), headers=sent, timeout=20)


def visit(hub: HubProcess) -> Visitor:
    return visit_by(hub.info.port, ticket_in(way_in(hub)))


def visit_by(port: int, ticket: str) -> Visitor:
    answer = httpx.post(f"{_address(port)}/dashboard/enter", data={"ticket": ticket}, timeout=20)
    found = re.search(r'data-key="([^"]+)"', answer.text)
    assert answer.status_code == 200 and found is not None
    return Visitor(port, answer.cookies[f"browser-pilot-{port}"], found[1])
