"""What becomes of a command when Chrome lets go of its tab, before it came there or while it ran. Pure.

Chrome does so whenever a frame of the page becomes its PDF viewer, which belongs to another extension. The tab can be
attached again at once. A command that came in between was not run; of one that was running nothing more is heard.
"""

from __future__ import annotations

import re

from ..errors import OutcomeUnknown
from . import cdp
from .driven_tab import Command
from .link import ChromeRefused

_NOT_ATTACHED = "Debugger is not attached"
_WHILE_IT_RAN = "Detached while handling command"
_BARRED = "URL of different extension"
_LOOKS = re.compile(r"^(Page|DOM|CSS|Network|Target|Accessibility|DOMSnapshot)\.(get|capture|describe)")
# Done twice, these are as if done once; an isolated world that is there already is given again.
_SAME_TWICE = frozenset({"Page.createIsolatedWorld", "DOM.resolveNode", "DOM.scrollIntoViewIfNeeded"})


def is_interruption(error: str) -> bool:
    return _NOT_ATTACHED in error or _WHILE_IT_RAN in error


def is_barred(error: str) -> bool:
    """Whether Chrome lets nobody in, because of a frame that yet another extension has put into the page."""
    return _BARRED in error


def is_to_be_sent_again(command: Command, error: str) -> bool:
    """Whether that is safe and of use; a command to a frame of its own has lost its session."""
    ran = _WHILE_IT_RAN in error
    return command.child is None and (not ran or _sets_up_or_looks(command.method))


def answer(command: Command, error: str) -> None:
    """Tell the sender of a command that is not sent again how it stands."""
    method = command.method
    if _WHILE_IT_RAN not in error:
        command.reply(None, ChromeRefused("Session with given id not found."))
    elif method.startswith("Input."):
        # It was with the page already; only that the page has dealt with it is no longer told.
        command.reply({}, None)
    elif method.startswith("Runtime."):
        command.reply(None, ChromeRefused("Execution context was destroyed."))
    elif _sets_up_or_looks(method):
        command.reply(None, ChromeRefused("Session with given id not found."))
    else:
        words = f"Chrome let go of the tab while it worked on {method}; it may or may not have happened."
        command.reply(None, OutcomeUnknown(words))


def _sets_up_or_looks(method: str) -> bool:
    return cdp.is_sticky(method) or method in _SAME_TWICE or _LOOKS.search(method) is not None
