"""Commands that were on their way when Chrome let go of a tab: none is run twice that may have been run."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.bridge.driven_tab import Command
from browser_pilot.bridge.interrupted import answer, is_interruption, is_to_be_sent_again
from browser_pilot.errors import OutcomeUnknown, PilotError

NEVER_RAN = "Debugger is not attached to the tab with id: 7."
RAN = '{"code":-32000,"message":"Detached while handling command."}'


def outcome(method: str, error: str, child: str | None = None) -> object:
    """What becomes of a command: sent again, or how it was answered."""
    told: list[tuple[Any, PilotError | None]] = []
    command = Command(method, {}, child, lambda result, error: told.append((result, error)))
    assert is_interruption(error)
    if is_to_be_sent_again(command, error):
        return "again"
    answer(command, error)
    ((result, refused),) = told
    return result if refused is None else refused.message if not isinstance(refused, OutcomeUnknown) else "unknown"


@pytest.mark.parametrize(
    ("method", "error", "child", "becomes"),
    [
        ("Page.navigate", NEVER_RAN, None, "again"),
        ("Input.insertText", NEVER_RAN, None, "again"),
        ("Page.navigate", NEVER_RAN, "child", "Session with given id not found."),
        ("Page.navigate", RAN, None, "unknown"),
        ("Page.navigate", RAN, "child", "unknown"),
        ("Input.dispatchMouseEvent", RAN, None, {}),
        ("Runtime.callFunctionOn", RAN, None, "Execution context was destroyed."),
        ("Runtime.evaluate", RAN, "child", "Execution context was destroyed."),
        ("Page.getFrameTree", RAN, None, "again"),
        ("Runtime.enable", RAN, None, "again"),
        ("Page.createIsolatedWorld", RAN, None, "again"),
        ("DOM.describeNode", RAN, "child", "Session with given id not found."),
        ("DOM.setFileInputFiles", RAN, None, "unknown"),
        ("Storage.setCookies", RAN, None, "unknown"),
    ],
)
def test_a_command_that_was_cut_off(method: str, error: str, child: str | None, becomes: object) -> None:
    assert outcome(method, error, child) == becomes


def test_other_errors_of_chrome_are_none_of_this() -> None:
    assert not is_interruption("No node with given id found")
    assert not is_interruption("")
