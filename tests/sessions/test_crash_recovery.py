"""Crash recovery: a managed browser is reopened as it was; the user's Chrome is only reported as lost."""

from __future__ import annotations

import pytest

from browser_pilot.errors import BrowserUnavailable, NoSession, SessionLimit
from browser_pilot.page.tab_set import SavedTab
from browser_pilot.sessions.crash_recovery import ReportingRecovery, RestoringRecovery
from browser_pilot.sessions.slots import LocalSlots

from .fakes import FakeBrowsers, limit_error

TAB = SavedTab("t1", "about:blank", current=True)
WEB_TAB = SavedTab("t1", "https://example.com/form")
STATE = {"cookies": [{"name": "login"}], "origins": []}


def restoring(browsers: FakeBrowsers, slots: LocalSlots | None = None, *, is_busy: bool = False) -> RestoringRecovery:
    slots = LocalSlots(lambda: 1) if slots is None else slots
    return RestoringRecovery(browsers.open, slots, limit_error, is_busy=lambda: is_busy)


def reporting(browsers: FakeBrowsers) -> ReportingRecovery:
    return ReportingRecovery(browsers.open, LocalSlots(lambda: 1), limit_error)


async def test_a_crashed_browser_is_reopened_with_its_storage_and_tabs() -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [TAB]
    browsers.contexts[0].stored = STATE
    await recovery.restore_point()
    browsers.contexts[0].crash()
    assert recovery.browser is None and recovery.lost_tabs == (TAB,)
    await recovery.prepare()
    assert browsers.contexts[1].started_with == STATE
    assert browsers.tabs[1].reopened == ["t1"] and recovery.lost_tabs == ()
    assert "the browser ended unexpectedly" in recovery.notices.take_notices()[0]
    assert recovery.take_unrestorable() == frozenset()


async def test_a_tab_that_nobody_used_between_two_crashes_keeps_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [WEB_TAB]
    loaded: list[str] = []

    async def load(_tab: object, url: str, *_: object) -> None:
        loaded.append(url)

    monkeypatch.setattr("browser_pilot.sessions.crash_recovery.reload_tab", load)
    for crash in range(3):
        browsers.contexts[crash].crash()
        await recovery.prepare()
    assert loaded == [WEB_TAB.url] * 3


async def test_a_tab_whose_browser_dies_while_it_is_reloaded_keeps_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [WEB_TAB]
    browsers.contexts[0].crash()

    async def die(*_: object) -> None:
        browsers.tabs[1].open_tabs = [SavedTab(WEB_TAB.id, "about:blank")]
        browsers.contexts[1].crash()

    with monkeypatch.context() as patched:
        patched.setattr("browser_pilot.sessions.crash_recovery.reload_tab", die)
        await recovery.prepare()
    assert recovery.lost_tabs == (WEB_TAB,)


async def test_a_crashed_page_is_reopened_in_the_same_browser() -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].crash_list = [TAB]
    await recovery.prepare()
    assert browsers.tabs[0].reopened == ["t1"] and len(browsers.contexts) == 1
    assert "the page crashed" in recovery.notices.take_notices()[0]


async def test_a_page_that_flooded_and_was_ended_is_not_loaded_again() -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].crash_list = [SavedTab("t1", "https://flood.test/", flooded=True)]
    await recovery.prepare()
    assert [tab.url for tab in browsers.tabs[0].open_tabs] == ["about:blank"]
    assert "flooded the browser" in recovery.notices.take_notices()[0]


async def test_prepare_opens_no_browser_for_a_session_without_tabs() -> None:
    browsers = FakeBrowsers()
    await restoring(browsers).prepare()
    assert browsers.contexts == []


async def test_lost_tabs_are_kept_when_restoring_them_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [TAB]
    browsers.contexts[0].crash()

    async def fail(*_: object) -> None:
        raise BrowserUnavailable("it crashed again")

    with monkeypatch.context() as patched, pytest.raises(BrowserUnavailable):
        patched.setattr("tests.sessions.fakes.FakeTabs.reopen", fail)
        await recovery.prepare()
    assert recovery.lost_tabs == (TAB,)


async def test_a_sleeping_session_frees_its_slot_and_is_restored() -> None:
    browsers, slots = FakeBrowsers(), LocalSlots(lambda: 1)
    recovery = restoring(browsers, slots)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [TAB]
    browsers.contexts[0].stored = STATE
    assert await recovery.sleep()
    assert browsers.contexts[0].closed and recovery.browser is None and len(slots) == 0
    await recovery.prepare()
    assert browsers.contexts[1].started_with == STATE and browsers.tabs[1].reopened == ["t1"]
    assert "unloaded to save memory" in recovery.notices.take_notices()[0]


async def test_a_busy_session_does_not_sleep() -> None:
    browsers = FakeBrowsers()
    recovery = restoring(browsers, is_busy=True)
    await recovery.ensure_open()
    assert not await recovery.sleep()
    assert not browsers.contexts[0].closed


async def test_a_browser_that_does_not_open_frees_its_slot() -> None:
    browsers, slots = FakeBrowsers(), LocalSlots(lambda: 1)
    browsers.error = BrowserUnavailable("there is none")
    with pytest.raises(BrowserUnavailable):
        await restoring(browsers, slots).ensure_open()
    assert len(slots) == 0


async def test_without_a_free_slot_no_browser_is_opened() -> None:
    browsers, slots = FakeBrowsers(), LocalSlots(lambda: 1)
    await restoring(browsers, slots).ensure_open()
    with pytest.raises(SessionLimit):
        await restoring(browsers, slots).ensure_open()
    assert len(browsers.contexts) == 1


async def test_a_lost_tab_of_the_users_chrome_is_reported_once_and_not_restored() -> None:
    browsers = FakeBrowsers()
    recovery = reporting(browsers)
    await recovery.ensure_open()
    browsers.tabs[0].open_tabs = [TAB]
    browsers.contexts[0].crash()
    await recovery.prepare()
    assert browsers.tabs[1].reopened == [] and browsers.contexts[1].checked == 1
    assert recovery.take_unrestorable() == {"t1"}
    assert recovery.take_unrestorable() == frozenset()


async def test_the_users_chrome_is_not_put_to_sleep() -> None:
    browsers = FakeBrowsers()
    recovery = reporting(browsers)
    await recovery.ensure_open()
    assert not await recovery.sleep()
    assert not browsers.contexts[0].closed


async def test_after_close_no_browser_is_opened() -> None:
    browsers, slots = FakeBrowsers(), LocalSlots(lambda: 1)
    recovery = restoring(browsers, slots)
    await recovery.ensure_open()
    await recovery.close()
    assert browsers.contexts[0].closed and len(slots) == 0
    with pytest.raises(NoSession):
        await recovery.ensure_open()
