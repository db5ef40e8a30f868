"""Login tickets: single use, short-lived, and no file left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.ui.dashboard import login_ticket
from browser_pilot.ui.dashboard.login_ticket import LoginTickets
from tests.integration.dashboard.dashboard_client import ticket_in
from tests.waiting import eventually

ADDRESS = "http://127.0.0.1:1"


async def test_a_ticket_is_valid_once_and_its_file_is_removed(tmp_path: Path) -> None:
    tickets = LoginTickets(tmp_path, lambda: 0.0)
    file = tickets.issue(ADDRESS)
    ticket = ticket_in(file)
    assert tickets.redeem(ticket)
    assert not file.exists()
    assert not tickets.redeem(ticket)


async def test_an_expired_ticket_is_invalid_and_its_file_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    tickets = LoginTickets(tmp_path, lambda: now)
    old = ticket_in(tickets.issue(ADDRESS))
    now += login_ticket.TTL_SECONDS
    assert not tickets.redeem(old)
    monkeypatch.setattr(login_ticket, "TTL_SECONDS", 0.01)
    file = tickets.issue(ADDRESS)
    await eventually(lambda: not file.exists())


async def test_only_the_newest_tickets_are_valid(tmp_path: Path) -> None:
    tickets = LoginTickets(tmp_path, lambda: 0.0)
    files = [tickets.issue(ADDRESS) for _ in range(login_ticket.MAX_TICKETS + 1)]
    assert not files[0].exists()
    assert tickets.redeem(ticket_in(files[1]))
    tickets.close()
    assert list((tmp_path / "run").iterdir()) == []
