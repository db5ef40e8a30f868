"""Session events: every listener receives them, and downloads have one handler."""

from __future__ import annotations

from browser_pilot.config.settings import Settings
from browser_pilot.page.tab_set import TabEvent
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.events import SessionEvents


async def test_every_listener_receives_an_event_in_order() -> None:
    events, seen = SessionEvents(), list[tuple[object, ...]]()
    client = Client("c1", Settings())

    def first(client: Client, tab_id: str, change: TabEvent) -> None:
        seen.append((1, client.id, tab_id, change))

    def second(client: Client, tab_id: str, change: TabEvent) -> None:
        seen.append((2, client.id, tab_id, change))

    async def closed(session_id: str) -> None:
        seen.append((session_id,))

    events.on_tab_change(first)
    events.on_tab_change(second)
    events.on_closed(closed)
    events.tab_changed(client, "t1", "opened")
    await events.closed("s1")
    assert seen == [(1, "c1", "t1", "opened"), (2, "c1", "t1", "opened"), ("s1",)]
