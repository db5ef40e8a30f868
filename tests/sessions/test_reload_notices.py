"""What a client is told of tabs that were loaded again: everything, once."""

from __future__ import annotations

from browser_pilot.pages.tabs import KeptTab
from browser_pilot.sessions.reloads import Reloads

TAB = KeptTab("t1", "https://example.com/")


def test_what_was_lost_is_told_once() -> None:
    reloads = Reloads()
    reloads.lost([TAB], "it crashed")
    assert "t1" in reloads.take_notices()[0]
    assert reloads.take_notices() == []


def test_who_was_told_by_the_error_of_a_call_is_not_told_again() -> None:
    reloads = Reloads()
    reloads.told("t1")
    reloads.lost([TAB], "it crashed")
    assert reloads.take_notices() == []
    reloads.lost([TAB], "it crashed")
    reloads.told("t1")
    assert reloads.take_notices() == []


def test_a_page_that_crashes_again_before_it_worked_is_left_empty() -> None:
    reloads = Reloads()
    assert reloads.address_for(TAB) == TAB.url
    assert reloads.address_for(TAB) == "about:blank"
    assert reloads.address_for(TAB) == TAB.url
    reloads.worked("t1")
    assert reloads.address_for(TAB) == TAB.url


def test_only_pages_of_the_web_are_loaded_again() -> None:
    assert Reloads().address_for(KeptTab("t1", "file:///etc/passwd")) == "about:blank"
