"""Which events count as effects of an action."""

from __future__ import annotations

import pytest

from browser_pilot.page.actions.action_window import CAUSALITY_WINDOW_SECONDS, ActionWindow, WindowState

SOON, LATE = CAUSALITY_WINDOW_SECONDS * 0.9, CAUSALITY_WINDOW_SECONDS * 1.1


def window() -> ActionWindow:
    return ActionWindow(last_event=100.0, documents=1, url="https://a.example/")


def test_everything_that_begins_while_input_is_sent_is_an_effect() -> None:
    one = window()
    one.begin_input()
    assert one.covers(100.0 + 60)


@pytest.mark.parametrize(("after", "covered"), [(SOON, True), (LATE, False)])
def test_after_the_input_only_what_begins_shortly_is_an_effect(after: float, *, covered: bool) -> None:
    one = window()
    one.begin_input()
    one.end_input(110.0)
    assert one.state is WindowState.OPEN
    assert one.covers(110.0 + after) is covered


def test_effects_of_an_effect_are_effects_too() -> None:
    one = window()
    one.end_input(110.0)
    one.note_effect(115.0)
    assert one.covers(115.0 + SOON)
    assert not one.covers(115.0 + LATE)


def test_an_effect_during_the_input_does_not_end_it() -> None:
    one = window()
    one.begin_input()
    one.note_effect(101.0)
    assert one.state is WindowState.SENDING_INPUT
    assert one.covers(200.0)


def test_a_window_that_is_left_open_still_attributes_effects_and_a_closed_one_is_closed() -> None:
    one = window()
    one.leave_open()
    assert one.covers(100.0 + SOON)
    one.close()
    assert one.state is WindowState.CLOSED
