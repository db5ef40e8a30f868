"""Approval requests as the user interfaces show and decide them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from browser_pilot.approvals.models import ApprovalDecision, ApprovalRequest
from browser_pilot.approvals.pending import ApprovalNotPending
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.audit_log.entries import RunStep
from browser_pilot.errors import InvalidArgument
from browser_pilot.ui.approval_requests import ApprovalRequests

REQUEST = ApprovalRequest(
    client="http-1",
    client_name="Agent",
    session="s1",
    tool="browser_click",
    effect="write",
    what="Click “Pay”",
    site="https://shop.example",
    about="action",
    risk="high",
    reason="It is a payment.",
    rule="policy.mode",
    binding="b1",
    scope="",
    run_step=RunStep("ab12", 3, 7),
    values={"coupon": "SPRING"},
    picture=b"png",
)


@asynccontextmanager
async def pending_request(queue: ApprovalQueue) -> AsyncGenerator[asyncio.Task[tuple[str, ApprovalDecision]]]:
    with queue.subscribe():
        asking = asyncio.create_task(queue.request_decision(REQUEST, timeout_seconds=60))
        await asyncio.sleep(0)
        yield asking
        asking.cancel()
        await asyncio.wait({asking})


async def test_a_request_is_listed_in_full_and_in_brief() -> None:
    queue = ApprovalQueue(clock=lambda: 100.0)
    requests = ApprovalRequests(queue)
    async with pending_request(queue):
        (full,) = requests.pending()
        assert full == {
            "id": queue.pending[0].id,
            "client": "http-1",
            "client_name": "Agent",
            "session": "s1",
            "tool": "browser_click",
            "run_step": {"run": "ab12", "number": 3, "steps": 7},
            "what": "Click “Pay”",
            "site": "https://shop.example",
            "element": "",
            "values": {"coupon": "SPRING"},
            "steps": [],
            "receiver": "",
            "receiver_is_other_site": False,
            "form": {},
            "amount": "",
            "changes": [],
            "about": "action",
            "risk": "high",
            "reason": "It is a payment.",
            "rule": "policy.mode",
            "choices": ["once", "deny"],
            "labels": {},
            "always_label": "",
            "undo_always": "",
            "picture": f"/api/approvals/{queue.pending[0].id}/picture",
            "asked_at": 100.0,
            "expires_at": 160.0,
        }
        brief = {name: full[name] for name in ("id", "what", "site", "risk")}
        assert requests.pending_in_brief() == [{**brief, "client": "Agent"}]
    assert requests.pending() == requests.pending_in_brief() == []


async def test_a_decision_ends_the_request_and_names_its_channel() -> None:
    queue = ApprovalQueue()
    requests = ApprovalRequests(queue)
    async with pending_request(queue) as asking:
        params = {"id": queue.pending[0].id, "choice": "once"}
        assert requests.decide(params, channel="dashboard") == {"choice": "once"}
        _, decision = await asking
        assert (decision.choice, decision.channel) == ("once", "dashboard")
        with pytest.raises(ApprovalNotPending):
            requests.decide(params, channel="dashboard")


@pytest.mark.parametrize("choice", [None, "", "maybe", 1, ["once"]])
async def test_an_unknown_choice_decides_nothing(choice: object) -> None:
    queue = ApprovalQueue()
    async with pending_request(queue) as asking:
        with pytest.raises(InvalidArgument, match="Unknown choice"):
            ApprovalRequests(queue).decide({"id": queue.pending[0].id, "choice": choice}, channel="dashboard")
        assert not asking.done() and queue.pending


async def test_a_screenshot_is_available_only_while_its_request_is_pending() -> None:
    queue = ApprovalQueue()
    requests = ApprovalRequests(queue)
    async with pending_request(queue):
        request_id = queue.pending[0].id
        assert requests.png(request_id) == b"png"
        assert requests.screenshot({"id": request_id}) == {"png": base64.b64encode(b"png").decode()}
        assert requests.screenshot({"id": "other"}) == requests.screenshot({}) == {"png": None}
    assert requests.png(request_id) is None
