"""A page that changes between the approval and the action, or during it: nothing happens that was not shown."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Literal

import pytest
from mcp.client import Client
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from tests.attempts import count_attempts, rounds
from tests.clients import text_of
from tests.hub_process import HubProcess, running_hub
from tests.sites import serving

from .page_swaps import SWAPS, Swap, pages
from .simulated_users import asking_client, configure, form_response

pytestmark = pytest.mark.browser

RUNS_PER_KIND = 1
REDTEAM_SWAPS = 3_000
MAX_DELAY_MS = 100
WAIT_SECONDS = 30

SETTINGS = """
[policy]
approval_timeout_s = 20
rate_per_minute = 100000
[policy.domains."127.0.0.1"]
write = "ask"
"""

When = Literal["before", "during", "after"]
# Before the decision, at a random moment between it and the action, and after the action.
MOMENTS: tuple[When, ...] = ("during", "before", "during", "after", "during")
HANDLER_MOMENTS: tuple[When, ...] = ("before", "during", "before", "after", "during")


@dataclass
class PageChange:
    """Makes the shop's page change after a signal and a delay."""

    kind: str
    delay_seconds: float = 0
    triggered: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    def signal(self, request: BaseHTTPRequestHandler) -> None:
        if not self.triggered.wait(WAIT_SECONDS * 2):
            return
        threading.Event().wait(self.delay_seconds)
        _respond(request, self.kind)

    def changed(self, request: BaseHTTPRequestHandler) -> None:
        """The page reports that it has changed."""
        self.done.set()
        _respond(request, "")


def _respond(request: BaseHTTPRequestHandler, text: str) -> None:
    body = text.encode()
    request.send_response(200)
    request.send_header("Content-Type", "text/html")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@dataclass
class Buyer:
    """Approves the first request and no other; the page changes before, during or after the approval."""

    change: PageChange
    when: When
    requests: int = 0

    async def __call__(self, _: ClientRequestContext, __: ElicitRequestParams) -> ElicitResult:
        self.requests += 1
        if self.requests > 1:
            return form_response("Deny")
        if self.when != "after":
            self.change.triggered.set()
        if self.when == "before":
            await asyncio.to_thread(self.change.done.wait, WAIT_SECONDS)
        return form_response("Allow once")


@dataclass
class Shop:
    """The shop's server: it records each request that has an effect, with everything that it sent."""

    url: str
    effects: list[str] = field(default_factory=list[str])
    change: PageChange = field(default_factory=lambda: PageChange(""))

    def effect(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0))).decode()
        kind = request.headers.get("Content-Type", "")
        self.effects.append(" ".join(part for part in (request.command, request.path, kind, body) if part))
        _respond(request, "<title>Sent</title>")

    def signal(self, request: BaseHTTPRequestHandler) -> None:
        self.change.signal(request)

    def changed(self, request: BaseHTTPRequestHandler) -> None:
        self.change.changed(request)


@pytest.fixture(scope="module")
def shop_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home: Path = tmp_path_factory.mktemp("shop") / "home"
    configure(home, SETTINGS)
    with running_hub(home) as process:
        yield process


@pytest.fixture
def shop() -> Generator[Shop]:
    with serving(pages()) as site:
        shop = Shop(site.url(""))
        effects = ("/pay", "/steal", "/steal/pay")
        site.pages.update({"/signal": shop.signal, "/changed": shop.changed, **dict.fromkeys(effects, shop.effect)})
        yield shop


@pytest.mark.timeout(500)
@pytest.mark.parametrize("kind", SWAPS)
async def test_nothing_happens_that_was_not_shown(shop_hub: HubProcess, shop: Shop, kind: str) -> None:
    runs = -(-rounds(RUNS_PER_KIND * len(SWAPS), REDTEAM_SWAPS) // len(SWAPS))
    rng = random.Random(kind)
    buyers: list[Buyer] = []

    async def ask(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return await buyers[-1](context, params)

    async with asking_client(shop_hub, ask, name=kind.replace(" ", "-")) as client:
        for run in range(runs):
            when = (HANDLER_MOMENTS if SWAPS[kind].by_handler else MOMENTS)[run % len(MOMENTS)]
            shop.change = PageChange(kind, rng.uniform(0, MAX_DELAY_MS) / 1000 if when == "during" else 0)
            buyers.append(Buyer(shop.change, when))
            await change_and_act(client, shop, SWAPS[kind], buyers[-1], run)
    count_attempts(runs)


async def change_and_act(client: Client, shop: Shop, swap: Swap, buyer: Buyer, run: int) -> None:
    where = {"url": f"{shop.url}{swap.path}?run={run}"}
    opened = await client.call_tool("browser_navigate", where)
    if opened.is_error and "retryable: true" in text_of(opened):
        # The page of the previous run was navigating at the same time.
        opened = await client.call_tool("browser_navigate", where)
    assert not opened.is_error, text_of(opened)
    shop.effects.clear()
    tool, arguments = swap.call
    result = text_of(await client.call_tool(tool, {**arguments, "timeout_ms": 5_000}))
    buyer.change.triggered.set()
    assert buyer.requests >= 1, result
    what = f"run {run}, {buyer.when}: {shop.effects}\n{result}"
    assert shop.effects in ([], [swap.shown]), what
    if buyer.when == "before" and swap.is_refused:
        assert shop.effects == [], f"executed although the page had changed: {what}"
    if buyer.when == "after":
        assert shop.effects == [swap.shown], f"not executed although nothing had changed: {what}"
