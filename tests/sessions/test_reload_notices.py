"""Reload notices: each lost tab is reported to its client once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from browser_pilot.errors import BrowserCrashed
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import SavedTab
from browser_pilot.sessions import reload_notices
from browser_pilot.sessions.reload_notices import ReloadNotices

TAB = SavedTab("t1", "https://example.com/")
OPEN_TAB = cast("Tab", SimpleNamespace(id="t1", page=SimpleNamespace(url=TAB.url)))


def test_a_lost_tab_is_reported_once() -> None:
    notices = ReloadNotices()
    notices.record_lost([TAB], "it crashed")
    assert "t1" in notices.take_notices()[0]
    assert notices.take_notices() == []


def test_a_notice_beside_another_result_does_not_permit_an_effect_on_the_reloaded_page() -> None:
    notices = ReloadNotices()
    notices.record_lost([TAB], "it crashed")
    assert len(notices.take_notices()) == 1
    with pytest.raises(BrowserCrashed, match="Nothing was done"):
        notices.require_acknowledged(OPEN_TAB)


def test_whoever_sees_the_reloaded_page_is_told_and_may_act_on_it() -> None:
    notices = ReloadNotices()
    notices.record_lost([TAB, SavedTab("t2", TAB.url)], "it crashed")
    notices.take_notices()
    assert "t1" in notices.acknowledge("t1")[0]
    assert notices.acknowledge("t1") == []
    notices.require_acknowledged(OPEN_TAB)
    assert "t2" in notices.acknowledge("t2")[0]


def test_an_effect_on_an_unreported_reload_is_refused_once() -> None:
    notices = ReloadNotices()
    notices.record_lost([TAB], "it crashed")
    with pytest.raises(BrowserCrashed, match="Nothing was done: it crashed"):
        notices.require_acknowledged(OPEN_TAB)
    notices.require_acknowledged(OPEN_TAB)
    assert notices.take_notices() == []


def test_a_loss_reported_by_the_error_of_a_call_is_not_reported_again() -> None:
    notices = ReloadNotices()
    notices.mark_reported("t1")
    notices.record_lost([TAB], "it crashed")
    assert notices.take_notices() == []
    notices.record_lost([TAB], "it crashed")
    notices.mark_reported("t1")
    assert notices.take_notices() == []


def test_a_page_that_crashes_again_before_it_worked_stays_blank() -> None:
    notices = ReloadNotices()
    assert notices.reload_url(TAB) == TAB.url
    assert notices.reload_url(TAB) == "about:blank"
    assert notices.reload_url(TAB) == TAB.url
    notices.clear_crash_history("t1")
    assert notices.reload_url(TAB) == TAB.url


def test_only_web_pages_are_reloaded() -> None:
    assert ReloadNotices().reload_url(SavedTab("t1", "file:///etc/passwd")) == "about:blank"


async def test_a_page_that_never_answers_its_reload_has_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_arguments: object, **_options: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(reload_notices, "open_address", never)
    monkeypatch.setattr(reload_notices, "UNRESPONSIVE_SECONDS", 0.05)
    crashes: list[str] = []
    tab = cast("Tab", SimpleNamespace(world=SimpleNamespace(mark_crashed=lambda: crashes.append("t1"))))
    await reload_notices.reload_tab(tab, TAB.url, lambda _site: None)
    assert crashes == ["t1"]
