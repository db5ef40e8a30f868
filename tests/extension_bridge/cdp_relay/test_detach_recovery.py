"""Commands in flight when Chrome detaches from a tab: none that may have run is run twice."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.errors import OutcomeUnknown, PilotError
from browser_pilot.extension_bridge.cdp_relay.controlled_tab import Command
from browser_pilot.extension_bridge.cdp_relay.detach_recovery import reply_interrupted, should_resend

NEVER_RAN = "Debugger is not attached to the tab with id: 7."
RAN = '{"code":-32000,"message":"Detached while handling command."}'


def outcome(method: str, error: str, child: str | None = None) -> object:
    """What becomes of a command: sent again, or the reply that it gets."""
    replies: list[tuple[Any, PilotError | None]] = []
    command = Command(method, {}, child, lambda result, error: replies.append((result, error)))
    if should_resend(command, error):
        return "again"
    reply_interrupted(command, error)
    ((result, refused),) = replies
    return result if refused is None else refused.message if not isinstance(refused, OutcomeUnknown) else "unknown"


@pytest.mark.parametrize(
    ("method", "error", "child", "expected"),
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
def test_an_interrupted_command_is_resent_or_gets_a_reply(
    method: str, error: str, child: str | None, expected: object
) -> None:
    assert outcome(method, error, child) == expected
