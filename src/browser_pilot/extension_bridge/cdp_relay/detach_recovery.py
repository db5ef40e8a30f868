"""Decides what becomes of a command when Chrome detaches from its tab, before the command or while it runs. Pure.

Chrome detaches whenever a frame of the page becomes its PDF viewer, which belongs to another extension; the tab can be
reattached at once. A command that came after the detach was not run. Of one that was running, no response will come.
"""

from __future__ import annotations

import re

from browser_pilot.errors import OutcomeUnknown
from browser_pilot.extension_bridge.extension_connection import ChromeRefused
from browser_pilot.upstream_errors import CONTEXT_DESTROYED, DETACHED_WHILE_RUNNING, SESSION_NOT_FOUND

from . import cdp_protocol
from .controlled_tab import Command

_READS = re.compile(r"^(Page|DOM|CSS|Network|Target|Accessibility|DOMSnapshot)\.(get|capture|describe)")
# Idempotent: an isolated world that exists already is returned again.
_IDEMPOTENT = frozenset({"Page.createIsolatedWorld", "DOM.resolveNode", "DOM.scrollIntoViewIfNeeded"})


def should_resend(command: Command, error: str) -> bool:
    """Whether resending is safe and useful; a command to a child session has lost its session."""
    ran = DETACHED_WHILE_RUNNING.matches(error)
    return command.child is None and (not ran or _is_repeatable(command.method))


def reply_interrupted(command: Command, error: str) -> None:
    """Reply to a command that is not sent again."""
    method = command.method
    if not DETACHED_WHILE_RUNNING.matches(error):
        command.reply(None, ChromeRefused(SESSION_NOT_FOUND))
    elif method.startswith("Input."):
        # The page had received it; only the confirmation is missing.
        command.reply({}, None)
    elif method.startswith("Runtime."):
        command.reply(None, ChromeRefused(CONTEXT_DESTROYED))
    elif _is_repeatable(method):
        command.reply(None, ChromeRefused(SESSION_NOT_FOUND))
    else:
        reason = f"Chrome detached from the tab while {method} ran; it may or may not have taken effect."
        command.reply(None, OutcomeUnknown(reason))


def _is_repeatable(method: str) -> bool:
    return cdp_protocol.is_setup_command(method) or method in _IDEMPOTENT or _READS.search(method) is not None
