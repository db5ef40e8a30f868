"""Calls to a browser: answered once each, whatever the connection does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.bridge import link as link_module
from browser_pilot.bridge.link import BrowserLink, ChromeRefused
from browser_pilot.bridge.outgoing import Outgoing
from browser_pilot.bridge.wire import Answered, Happened, Json
from browser_pilot.errors import BrowserDisconnected, OutcomeUnknown, PilotError


class Recorded(Outgoing[Json]):
    """A socket that keeps what would be sent."""

    def __init__(self) -> None:
        super().__init__(self._nowhere)
        self.sent: list[Json] = []

    async def _nowhere(self, messages: list[Json]) -> None:
        raise AssertionError("nobody runs this")

    def put(self, message: Json) -> None:
        self.sent.append(message)


def new_link(events: list[Happened] | None = None) -> BrowserLink:
    return BrowserLink("Chrome", (events if events is not None else []).append)


async def test_a_call_is_answered_by_its_id() -> None:
    link, out = new_link(), Recorded()
    link.connect(out)
    one, two = (asyncio.ensure_future(link.call("tabs.get", n)) for n in (1, 2))
    await asyncio.sleep(0)
    link.receive(Answered(out.sent[1]["id"], result="two"))
    link.receive(Answered(out.sent[0]["id"], result="one"))
    assert (await one, await two) == ("one", "two")


async def test_what_chrome_refuses_is_told_in_its_words() -> None:
    link, out = new_link(), Recorded()
    link.connect(out)
    calling = asyncio.ensure_future(link.call("tabs.get", 1))
    await asyncio.sleep(0)
    link.receive(Answered(out.sent[0]["id"], error="No tab with id: 1."))
    with pytest.raises(ChromeRefused, match="No tab with id"):
        await calling


async def test_a_call_to_a_browser_that_is_briefly_away_waits_for_it() -> None:
    link, out = new_link(), Recorded()
    calling = asyncio.ensure_future(link.call("tabs.get", 1))
    await asyncio.sleep(0)
    link.connect(out)
    link.receive(Answered(out.sent[0]["id"], result="back"))
    assert await calling == "back"


async def test_a_call_to_a_browser_that_stays_away_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "PATIENCE_SECONDS", 0.01)
    link = new_link()
    with pytest.raises(BrowserDisconnected):
        await link.call("tabs.get", 1)
    out = Recorded()
    link.connect(out)
    assert out.sent == []


async def test_only_so_many_calls_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "MOST_WAITING", 2)
    link, told = new_link(), list[PilotError | None]()
    for _ in range(3):
        link.post("tabs.get", [1], lambda _, error: told.append(error))
    assert [type(error) for error in told] == [BrowserDisconnected]


async def test_a_call_under_way_at_a_cut_has_an_unknown_outcome_and_is_not_sent_again() -> None:
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
    link.receive(Answered(out.sent[0]["id"], lost=True))
    with pytest.raises(OutcomeUnknown):
        await calling


async def test_the_end_of_an_old_connection_does_not_touch_the_new_one() -> None:
    link, old, new = new_link(), Recorded(), Recorded()
    link.connect(old)
    link.connect(new)
    link.disconnect(old)
    assert link.connected


@given(st.lists(st.sampled_from(["call", "connect", "cut", "answer", "answer twice"]), max_size=40))
def test_every_call_is_sent_at_most_once_and_answered_at_most_once(steps: list[str]) -> None:
    async def play() -> None:
        link, out = new_link(), Recorded()
        outs: list[Recorded] = []
        told: list[int] = []
        for number, step in enumerate(steps):
            if step == "call":

                def reply(_: Any, __: PilotError | None, number: int = number) -> None:
                    told.append(number)

                link.post("call", [number], reply)
            elif step == "connect":
                out = Recorded()
                outs.append(out)
                link.connect(out)
            elif step == "cut":
                link.disconnect(out)
            else:
                for _ in step.split():
                    for message in out.sent:
                        link.receive(Answered(message["id"], result=None))
        sent = [message["args"][0] for one in outs for message in one.sent]
        assert len(sent) == len(set(sent))
        assert len(told) == len(set(told))

    asyncio.run(play())


async def test_events_are_handed_on_in_order() -> None:
    events: list[Happened] = []
    link = new_link(events)
    link.connect(Recorded())
    for number in range(3):
        link.receive(Happened("tabs", [number]))
    assert [event.args[0] for event in events] == [0, 1, 2]
