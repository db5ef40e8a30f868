"""A page that changes between the user's yes and the act: nothing happens that was not agreed to."""

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

from tests.approvals.people import asking_client, configure, form_answer
from tests.clients import text_of
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site, serving

pytestmark = pytest.mark.browser

# With eight kinds, a little over 500 in the long run.
RUNS_OF_EACH = 5
RUNS_IN_THE_LONG_RUN = 63
LATEST_MS = 100
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
  'frame navigated'() {{ document.querySelector('iframe').src = '/dearer'; }},
  'tab navigated'() {{ location.href = '/dearer'; }},
}};
fetch('/signal' + location.search).then((answer) => answer.text()).then((kind) => {{
  changes[kind]();
  fetch('/changed', {{ keepalive: true }});
}});
</script></html>"""
FRAMED = PAGE.replace(FORM, "<iframe src=/framed width=400 height=200></iframe>")
DEARER = f"<!doctype html><title>Checkout</title><h1>Checkout</h1>{FORM.replace('value=10>', 'value=1000>')}"
KINDS = ("swapped", "moved", "relabelled", "overlaid", "action", "value", "frame navigated", "tab navigated")


When = Literal["before", "meanwhile", "after"]


@dataclass
class Trap:
    """A shop whose page changes when told to, a little later than that."""

    kind: str
    delay_seconds: float = 0
    sprung: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    def signal(self, request: BaseHTTPRequestHandler) -> None:
        if not self.sprung.wait(30):
            return
        threading.Event().wait(self.delay_seconds)
        body = self.kind.encode()
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def changed(self, request: BaseHTTPRequestHandler) -> None:
        """The page says that it has changed by now."""
        self.done.set()
        request.send_response(204)
        request.end_headers()


@dataclass
class Buyer:
    """Agrees to the first question and to no other, while the page changes before, meanwhile or after."""

    trap: Trap
    when: When
    asked: int = 0

    async def __call__(self, _: ClientRequestContext, __: ElicitRequestParams) -> ElicitResult:
        self.asked += 1
        if self.asked > 1:
            return form_answer("Deny")
        if self.when != "after":
            self.trap.sprung.set()
        if self.when == "before":
            await asyncio.to_thread(self.trap.done.wait, 30)
        return form_answer("Allow once")


@pytest.fixture(scope="module")
def shop_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home: Path = tmp_path_factory.mktemp("shop") / "home"
    configure(home, SETTINGS)
    with running_hub(home) as process:
        yield process


@pytest.fixture
def shop() -> Generator[Site]:
    pages: dict[str, Any] = {"/": PAGE, "/inframe": FRAMED, "/framed": FORM, "/dearer": DEARER}
    with serving(pages) as site:
        yield site


@pytest.mark.parametrize("kind", KINDS)
async def test_no_effect_that_was_not_agreed_to(shop_hub: HubProcess, shop: Site, kind: str) -> None:
    await change_and_click(shop_hub, shop, kind, RUNS_OF_EACH)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
async def test_no_effect_that_was_not_agreed_to_in_five_hundred(shop_hub: HubProcess, shop: Site, kind: str) -> None:
    await change_and_click(shop_hub, shop, kind, RUNS_IN_THE_LONG_RUN)


async def change_and_click(shop_hub: HubProcess, shop: Site, kind: str, runs: int) -> None:
    chance = random.Random(kind)
    holder: list[Buyer] = []

    async def ask(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return await holder[-1](context, params)

    async with asking_client(shop_hub, ask, name=kind.replace(" ", "-")) as client:
        for run in range(runs):
            when: When = "before" if run % 5 == 0 else "after" if run % 5 == 1 else "meanwhile"
            trap = Trap(kind, chance.uniform(0, LATEST_MS) / 1000 if when == "meanwhile" else 0)
            buyer = Buyer(trap, when)
            holder.append(buyer)
            shop.pages["/signal"] = trap.signal
            shop.pages["/changed"] = trap.changed
            for path in ("/pay", "/steal", "/overlay"):
                shop.pages[path] = "ok"
            del shop.hits[:]
            page = "/inframe" if kind == "frame navigated" else "/"
            opened = await client.call_tool("browser_navigate", {"url": shop.url(f"{page}?run={run}")})
            if opened.is_error and "retryable: true" in text_of(opened):
                # The last run's page went somewhere itself in that moment.
                opened = await client.call_tool("browser_navigate", {"url": shop.url(f"{page}?run={run}")})
            assert not opened.is_error, opened.content
            await client.call_tool("browser_click", {"element": PAY, "timeout_ms": 2_000})
            assert buyer.asked >= 1
            effects = [hit for hit in shop.hits if hit.startswith(("/pay", "/steal", "/overlay"))]
            assert effects in ([], ["/pay?amount=10"]), f"run {run}: {effects}"
            if when == "before":
                assert effects == [], f"run {run}: done although the page had changed before the answer"
            if when == "after":
                assert effects == ["/pay?amount=10"], f"run {run}: not done although nothing had changed"
            trap.sprung.set()
            await asyncio.to_thread(trap.done.wait, 10)
            # The page may be going somewhere itself just now, which cuts another navigation off.
            await client.call_tool("browser_navigate", {"url": "about:blank"})
