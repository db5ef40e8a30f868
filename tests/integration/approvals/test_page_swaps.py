"""A page that changes between the approval and the action: only the approved action is executed."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from tests.attempts import count_attempts, rounds
from tests.clients import text_of
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site, serving

from .simulated_users import asking_client, configure, form_response

pytestmark = pytest.mark.browser

# With eight kinds of change, a little over 500 in the long run.
RUNS_PER_KIND = 5
LONG_RUNS_PER_KIND = 63
MAX_DELAY_MS = 100
PAY = {"role": "button", "name": "Pay 10"}

SETTINGS = """
[policy]
approval_timeout_s = 20
rate_per_minute = 100000
[policy.domains."127.0.0.1"]
write = "ask"
"""

FORM = """<form id=form action=/pay onsubmit="event.preventDefault(); fetch(this.getAttribute('action') + '?amount='
  + this.amount.value)"><input type=hidden name=amount value=10><button id=pay>Pay 10</button></form>"""
PAGE = f"""<!doctype html><html lang=en><title>Checkout</title><h1>Checkout</h1>{FORM}
<form id=other action=/steal onsubmit="event.preventDefault(); fetch('/steal')"><input type=hidden name=amount
  value=10></form>
<script>
const changes = {{
  swapped() {{ pay.remove(); other.innerHTML += '<button>Pay 10</button>'; }},
  moved() {{ other.append(pay); }},
  relabelled() {{ pay.textContent = 'Pay 1000'; form.amount.value = 1000; }},
  overlaid() {{ document.body.insertAdjacentHTML('beforeend',
    `<div style="position:fixed;inset:0;background:#fffa" onmousedown="fetch('/overlay')"></div>`); }},
  action() {{ form.setAttribute('action', '/steal'); }},
  value() {{ form.amount.value = 1000; }},
  'frame navigated'() {{ document.querySelector('iframe').src = '/expensive'; }},
  'tab navigated'() {{ location.href = '/expensive'; }},
}};
fetch('/signal' + location.search).then((response) => response.text()).then((kind) => {{
  changes[kind]();
  fetch('/changed', {{ keepalive: true }});
}});
</script></html>"""
FRAMED = PAGE.replace(FORM, "<iframe src=/framed width=400 height=200></iframe>")
EXPENSIVE = f"<!doctype html><title>Checkout</title><h1>Checkout</h1>{FORM.replace('value=10>', 'value=1000>')}"
KINDS = ("swapped", "moved", "relabelled", "overlaid", "action", "value", "frame navigated", "tab navigated")


When = Literal["before", "during", "after"]


@dataclass
class PageChange:
    """Makes the shop's page change after a signal and a delay."""

    kind: str
    delay_seconds: float = 0
    triggered: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    def signal(self, request: BaseHTTPRequestHandler) -> None:
        if not self.triggered.wait(30):
            return
        threading.Event().wait(self.delay_seconds)
        body = self.kind.encode()
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def changed(self, request: BaseHTTPRequestHandler) -> None:
        """The page reports that it has changed."""
        self.done.set()
        request.send_response(204)
        request.end_headers()


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
            await asyncio.to_thread(self.change.done.wait, 30)
        return form_response("Allow once")


@pytest.fixture(scope="module")
def shop_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home: Path = tmp_path_factory.mktemp("shop") / "home"
    configure(home, SETTINGS)
    with running_hub(home) as process:
        yield process


@pytest.fixture
def shop() -> Generator[Site]:
    pages: dict[str, Any] = {"/": PAGE, "/inframe": FRAMED, "/framed": FORM, "/expensive": EXPENSIVE}
    with serving(pages) as site:
        yield site


@pytest.mark.parametrize("kind", KINDS)
async def test_only_the_approved_action_is_executed(shop_hub: HubProcess, shop: Site, kind: str) -> None:
    runs = -(-rounds(RUNS_PER_KIND * len(KINDS)) // len(KINDS))
    await change_and_click(shop_hub, shop, kind, runs)
    count_attempts(runs)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
async def test_only_the_approved_action_is_executed_in_a_long_run(shop_hub: HubProcess, shop: Site, kind: str) -> None:
    await change_and_click(shop_hub, shop, kind, LONG_RUNS_PER_KIND)


async def change_and_click(shop_hub: HubProcess, shop: Site, kind: str, runs: int) -> None:
    rng = random.Random(kind)
    buyers: list[Buyer] = []

    async def ask(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return await buyers[-1](context, params)

    async with asking_client(shop_hub, ask, name=kind.replace(" ", "-")) as client:
        for run in range(runs):
            when: When = "before" if run % 5 == 0 else "after" if run % 5 == 1 else "during"
            change = PageChange(kind, rng.uniform(0, MAX_DELAY_MS) / 1000 if when == "during" else 0)
            buyer = Buyer(change, when)
            buyers.append(buyer)
            shop.pages["/signal"] = change.signal
            shop.pages["/changed"] = change.changed
            for path in ("/pay", "/steal", "/overlay"):
                shop.pages[path] = "ok"
            del shop.hits[:]
            page = "/inframe" if kind == "frame navigated" else "/"
            opened = await client.call_tool("browser_navigate", {"url": shop.url(f"{page}?run={run}")})
            if opened.is_error and "retryable: true" in text_of(opened):
                # The page of the previous run was navigating at the same time.
                opened = await client.call_tool("browser_navigate", {"url": shop.url(f"{page}?run={run}")})
            assert not opened.is_error, opened.content
            await client.call_tool("browser_click", {"element": PAY, "timeout_ms": 2_000})
            assert buyer.requests >= 1
            effects = [hit for hit in shop.hits if hit.startswith(("/pay", "/steal", "/overlay"))]
            assert effects in ([], ["/pay?amount=10"]), f"run {run}: {effects}"
            if when == "before":
                assert effects == [], f"run {run}: executed although the page had changed before the approval"
            if when == "after":
                assert effects == ["/pay?amount=10"], f"run {run}: not executed although nothing had changed"
            change.triggered.set()
            await asyncio.to_thread(change.done.wait, 10)
            # The page may be navigating now, which aborts another navigation.
            await client.call_tool("browser_navigate", {"url": "about:blank"})
