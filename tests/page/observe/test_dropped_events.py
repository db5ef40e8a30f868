"""What was dropped is counted for the logs, and reported once as a notice where an agent must know it."""

from __future__ import annotations

from browser_pilot.page.observe.dropped_events import STOPPED_NOTICE, DroppedEvents


def test_dropped_entries_are_counted_and_are_no_notice() -> None:
    dropped = DroppedEvents()
    dropped.record({"dropped": {"console": 5, "network": 2, "websocket": 3, "other": 9}, "stopped": False})
    dropped.record({"dropped": {"console": 1}, "stopped": False})
    assert (dropped.console, dropped.network) == (6, 5)
    assert dropped.take_notices() == ()
    assert not dropped.was_stopped


def test_stopped_scripts_popups_and_downloads_are_reported_once() -> None:
    dropped = DroppedEvents()
    dropped.record({"dropped": {"popup": 4}, "stopped": True})
    dropped.record({"dropped": {"popup": 3}, "stopped": False})
    dropped.record_download()
    stopped, popups, downloads = dropped.take_notices()
    assert stopped == STOPPED_NOTICE
    assert "7 were closed" in popups
    assert "1 were cancelled" in downloads
    assert dropped.take_notices() == ()
    assert dropped.was_stopped
