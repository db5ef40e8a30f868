"""An approval at a random step of a run: given, denied, too late, or for a page that changed. No effect without it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Generator
from typing import Any, Literal

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from tests.attempts import count_attempts, rounds
from tests.clients import ERAS, text_of
from tests.conftest import HubWith
from tests.hub_process import HubProcess
from tests.integration.approvals.simulated_users import asking_client, form_response, pending
from tests.integration.approvals.test_page_swaps import PageChange
from tests.sites import Site, serving
from tests.waiting import TIMEOUT_SECONDS, eventually

pytestmark = pytest.mark.browser

Kind = Literal["approved", "denied", "late", "changed"]
KINDS: tuple[Kind, ...] = ("approved", "denied", "late", "changed")
# Of each kind in each protocol revision: 56 runs, or as many as ROUNDS says.
RUNS = 7
MAX_STEPS = 6

PAGE = """<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1><p>Total: 10</p>
<button onclick="fetch('/effect?1')">One</button><button onclick="fetch('/effect?2')">Two</button>
<button onclick="fetch('/effect?3')">Three</button>
<form onsubmit="event.preventDefault(); fetch('/pay?' + this.amount.value)">
<input type=hidden name=amount value=10><button id=pay>Pay 10</button></form>
</html>"""
CHANGING = PAGE.replace(
    "</html>",
    """<script>fetch('/signal').then(() => {
  document.querySelector('[name=amount]').value = 1000; pay.textContent = 'Pay 1000'; fetch('/changed');
})</script></html>""",
)
SETTINGS = """[policy]
approval_timeout_s = {timeout}
rate_per_minute = 100000
[policy.ask_from]
loopback = "high"
[sessions]
max = 200
memory_mb = 16000
"""
HARMLESS: tuple[Any, ...] = ({"click": "text=One"}, {"click": "text=Two"}, {"click": "text=Three"}, {"find": "Total"})
PAY = {"click": "#pay"}


@pytest.fixture
def shop() -> Generator[Site]:
    with serving({"/": PAGE, "/effect": "ok", "/pay": "ok"}) as site:
        yield site


class Shopper:
    """Decides as ``kind`` says. In the form it reads which step of the run is asked for."""

    def __init__(self, hub: HubProcess, kind: Kind) -> None:
        self.hub = hub
        self.kind = kind
        self.change = PageChange("relabelled")
        self.messages: list[str] = []

    async def __call__(self, _: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.messages.append(params.message)
        if self.kind == "denied" or len(self.messages) > 1:
            return form_response("Deny")
        if self.kind == "late":
            await eventually(lambda: not pending(self.hub), "the approval to expire", poll_seconds=0.2)
        if self.kind == "changed":
            self.change.triggered.set()
            assert await asyncio.to_thread(self.change.done.wait, TIMEOUT_SECONDS)
        return form_response("Allow once")


@pytest.mark.timeout(500)
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
async def test_no_step_has_an_effect_without_its_approval(hub_with: HubWith, shop: Site, kind: Kind, era: str) -> None:
    hub = hub_with(SETTINGS.format(timeout=1 if kind == "late" else 60))
    runs = -(-rounds(RUNS * len(KINDS) * len(ERAS)) // (len(KINDS) * len(ERAS)))
    rng = random.Random(f"{kind} {era}")
    shoppers: list[Shopper] = []

    async def ask(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return await shoppers[-1](context, params)

    name = f"{kind}-{era}"
    async with asking_client(hub, ask, era=era, name=name) as client:
        for _ in range(runs):
            shoppers.append(Shopper(hub, kind))
            del shop.hits[:]
            steps: list[Any] = [rng.choice(HARMLESS) for _ in range(rng.randrange(MAX_STEPS))]
            place = rng.randrange(len(steps) + 1)
            steps.insert(place, PAY)
            shop.pages["/"] = CHANGING if kind == "changed" else PAGE
            shop.pages["/signal"], shop.pages["/changed"] = shoppers[-1].change.signal, shoppers[-1].change.changed
            opened = await client.call_tool("browser_navigate", {"url": shop.url()})
            assert not opened.is_error, text_of(opened)
            result = await client.call_tool("browser_run", {"steps": steps}, progress_callback=ignore_progress)
            assert bool(result.is_error) == (kind != "approved"), text_of(result)
            assert shoppers[-1].messages, text_of(result)
            before, after = clicks(steps[:place]), clicks(steps[place + 1 :])
            paid = ["/pay?10"] if kind == "approved" else []
            effects = [*before, *paid, *(after if paid else [])]
            await eventually(lambda effects=effects: effects_at(shop) == effects, f"{effects} in {shop.hits}")
            (first, *_) = shoppers[-1].messages
            assert f"step {place + 1} of {len(steps)} of run " in first
            if result.is_error:
                assert f"stopped_at: {place + 1}\n" in text_of(result)
                assert f"done: {place} of {len(steps)}" in text_of(result)
            run = first.partition(" of run ")[2].partition(",")[0]
            await eventually(lambda run=run, effects=effects: effects_in_log(hub, run) == len(effects))
    count_attempts(runs)


async def ignore_progress(progress: float, total: float | None, message: str | None) -> None:
    """With it, the client requests notifications, also after a request that an approval has suspended."""


def clicks(steps: list[Any]) -> list[str]:
    numbers = {"text=One": 1, "text=Two": 2, "text=Three": 3}
    return [f"/effect?{numbers[step['click']]}" for step in steps if "click" in step]


def effects_at(site: Site) -> list[str]:
    return [hit for hit in site.hits if hit.startswith(("/effect", "/pay"))]


def effects_in_log(hub: HubProcess, run: str) -> int:
    """The entries of a run whose effect took place."""
    found = AuditLogReader(AuditLogFiles.in_home(hub.home)).search(AuditQuery(run=run, limit=None))
    return sum(
        action.intent.get("effect") == "write" and (action.outcome or {}).get("status") == "ok" for action in found
    )
