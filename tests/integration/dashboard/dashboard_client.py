"""Clients of the dashboard: sign-in with a browser or without one, and requests as the page sends them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from playwright.async_api import BrowserContext, Page, expect

from tests.hub_process import HubProcess

TIMEOUT_MS = 60_000


def write_ticket_file(hub: HubProcess) -> Path:
    """Let the hub write a ticket file, as `browser-pilot dashboard` does."""
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


async def open_dashboard(context: BrowserContext, hub: HubProcess) -> Page:
    """Open a ticket file in the browser, and wait until the dashboard is connected."""
    page = await context.new_page()
    await page.goto(write_ticket_file(hub).as_uri(), wait_until="commit")
    await page.wait_for_url(f"{address(hub)}/")
    await expect(page.locator("#live")).to_be_visible(timeout=TIMEOUT_MS)
    return page


@dataclass
class DashboardClient:
    """A login session without a browser. ``left_out`` are headers that it does not send."""

    port: int
    cookie: str
    key: str
    left_out: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def address(self) -> str:
        return _address(self.port)

    @property
    def headers(self) -> dict[str, str]:
        headers = {
            "Origin": self.address,
            "Cookie": f"browser-pilot-{self.port}={self.cookie}",
            "X-Browser-Pilot-Key": self.key,
        }
        return {name: value for name, value in headers.items() if name not in self.left_out}

    def request(self, name: str = "state", *, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self.post(f"/dashboard/request/{name}", headers=headers)

    def post(self, path: str, *, headers: Mapping[str, str] | None = None) -> httpx.Response:
        sent = {**self.headers, **(headers or {})}
        return httpx.post(self.address + path, content=json.dumps({}), headers=sent, timeout=20)


def sign_in(hub: HubProcess) -> DashboardClient:
    return sign_in_with(hub.info.port, ticket_in(write_ticket_file(hub)))


def sign_in_with(port: int, ticket: str) -> DashboardClient:
    response = httpx.post(f"{_address(port)}/dashboard/login", data={"ticket": ticket}, timeout=20)
    found = re.search(r'data-key="([^"]+)"', response.text)
    assert response.status_code == 200 and found is not None
    return DashboardClient(port, response.cookies[f"browser-pilot-{port}"], found[1])
