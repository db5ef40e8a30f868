"""Calls to a browser: each gets exactly one response, whatever happens to the connection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import BrowserDisconnected, OutcomeUnknown, PilotError
from browser_pilot.extension_bridge import extension_connection as link_module
from browser_pilot.extension_bridge.extension_connection import ChromeRefused, ExtensionConnection, pending_reply
from browser_pilot.extension_bridge.protocol import Event, ExtensionResponse
from browser_pilot.extension_bridge.send_queue import SendQueue
from browser_pilot.json_types import JsonObject


class Recorded(SendQueue[JsonObject]):
    """A send queue that records the messages."""

    def __init__(self) -> None:
        super().__init__(self._send_nothing)
        self.sent: list[JsonObject] = []

    async def _send_nothing(self, messages: list[JsonObject]) -> None:
        raise AssertionError("run() is not used here")

    def put(self, message: JsonObject) -> None:
        self.sent.append(message)


def new_link(events: list[Event] | None = None) -> ExtensionConnection:
    return ExtensionConnection("Chrome", (events if events is not None else []).append)


async def test_a_response_is_matched_by_its_id() -> None:
    link, out = new_link(), Recorded()
    link.connect(out)
    one, two = (asyncio.ensure_future(link.call("tabs.get", n)) for n in (1, 2))
    await asyncio.sleep(0)
    link.receive(ExtensionResponse(out.sent[1]["id"], result="two"))
    link.receive(ExtensionResponse(out.sent[0]["id"], result="one"))
    assert (await one, await two) == ("one", "two")


async def test_an_error_of_chrome_is_passed_on_with_its_text() -> None:
    link, out = new_link(), Recorded()
    link.connect(out)
    calling = asyncio.ensure_future(link.call("tabs.get", 1))
    await asyncio.sleep(0)
    link.receive(ExtensionResponse(out.sent[0]["id"], error="No tab with id: 1."))
    with pytest.raises(ChromeRefused, match="No tab with id"):
        await calling


async def test_a_call_to_a_disconnected_browser_is_sent_on_reconnect() -> None:
    link, out = new_link(), Recorded()
    calling = asyncio.ensure_future(link.call("tabs.get", 1))
    await asyncio.sleep(0)
    link.connect(out)
    link.receive(ExtensionResponse(out.sent[0]["id"], result="back"))
    assert await calling == "back"


async def test_a_call_to_a_browser_that_stays_disconnected_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "QUEUE_TIMEOUT_SECONDS", 0.01)
    link = new_link()
    with pytest.raises(BrowserDisconnected):
        await link.call("tabs.get", 1)
    out = Recorded()
    link.connect(out)
    assert out.sent == []


async def test_the_queue_of_waiting_calls_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "MAX_QUEUED_CALLS", 2)
    link, errors = new_link(), list[PilotError | None]()
    for _ in range(3):
        link.post("tabs.get", [1], lambda _, error: errors.append(error))
    assert [type(error) for error in errors] == [BrowserDisconnected]


async def test_a_call_in_flight_at_a_disconnect_has_an_unknown_outcome_and_is_not_sent_again() -> None:
    link, first, second = new_link(), Recorded(), Recorded()
    link.connect(first)
    calling = asyncio.ensure_future(link.call("tabs.remove", 1))
    await asyncio.sleep(0)
    link.disconnect(first)
    with pytest.raises(OutcomeUnknown):
        await calling
    link.connect(second)
    assert second.sent == []


async def test_a_call_that_the_extension_lost_has_an_unknown_outcome() -> None:
    link, out = new_link(), Recorded()
    link.connect(out)
    calling = asyncio.ensure_future(link.call("tabs.remove", 1))
    await asyncio.sleep(0)
    link.receive(ExtensionResponse(out.sent[0]["id"], lost=True))
    with pytest.raises(OutcomeUnknown):
        await calling


async def test_the_end_of_an_old_connection_does_not_touch_the_new_one() -> None:
    link, old, new = new_link(), Recorded(), Recorded()
    link.connect(old)
    link.connect(new)
    link.disconnect(old)
    assert link.connected


@given(st.lists(st.sampled_from(["call", "connect", "disconnect", "respond", "respond twice"]), max_size=40))
def test_every_call_is_sent_at_most_once_and_gets_at_most_one_response(steps: list[str]) -> None:
    async def play() -> None:
        link, out = new_link(), Recorded()
        outs: list[Recorded] = []
        replied: list[int] = []
        for number, step in enumerate(steps):
            if step == "call":

                def reply(_: Any, __: PilotError | None, number: int = number) -> None:
                    replied.append(number)

                link.post("call", [number], reply)
            elif step == "connect":
                out = Recorded()
                outs.append(out)
                link.connect(out)
            elif step == "disconnect":
                link.disconnect(out)
            else:
                for _ in step.split():
                    for message in out.sent:
                        link.receive(ExtensionResponse(message["id"], result=None))
        sent = [message["args"][0] for one in outs for message in one.sent]
        assert len(sent) == len(set(sent))
        assert len(replied) == len(set(replied))

    asyncio.run(play())


async def test_events_are_passed_on_in_order() -> None:
    events: list[Event] = []
    link = new_link(events)
    link.connect(Recorded())
    for number in range(3):
        link.receive(Event("tabs", [number]))
    assert [event.args[0] for event in events] == [0, 1, 2]


async def test_a_pending_reply_computes_its_value_inside_the_callback() -> None:
    order: list[str] = []
    future, reply = pending_reply(lambda result: order.append(f"result {result}"))
    reply(1, None)
    order.append("event")
    await future
    assert order == ["result 1", "event"]


async def test_a_pending_reply_passes_on_the_error_of_the_call_or_of_its_value() -> None:
    def reject(_: object) -> None:
        raise ChromeRefused("rejected")

    for result, error, message in ((None, ChromeRefused("failed"), "failed"), (1, None, "rejected")):
        future, reply = pending_reply(reject)
        reply(result, error)
        with pytest.raises(ChromeRefused, match=message):
            await future


async def test_a_reply_after_its_caller_was_cancelled_is_ignored() -> None:
    future, reply = pending_reply(str)
    future.cancel()
    reply(1, None)
    assert future.cancelled()
