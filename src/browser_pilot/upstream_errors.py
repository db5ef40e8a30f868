"""Recognises errors of Chrome, Playwright and our own relay by their text: most of them carry nothing else.

All matching on upstream messages is here, so that a new Chrome or Playwright is checked in one place. Pure: a message
in, a yes or no out. What a caller makes of an error is not decided here: see ``page.playwright_errors`` and
``extension_bridge.cdp_relay.detach_recovery``.

The relay stands between Playwright and the user's own Chrome and responds to CDP commands in Chrome's place. Its errors
reach page code inside Playwright's message, so it marks them with a prefix (``RelayError``).
"""

from __future__ import annotations

import re
from enum import Enum


class ErrorText:
    """One upstream error, recognised by any of these parts of its message."""

    def __init__(self, *parts: str, ignore_case: bool = False) -> None:
        flags = re.IGNORECASE if ignore_case else 0
        self._pattern = re.compile("|".join(re.escape(part) for part in parts), flags)

    def matches(self, message: str) -> bool:
        return self._pattern.search(message) is not None


# Errors of Chrome that the relay returns too, with the same text: Playwright and the matchers below recognise them.
SESSION_NOT_FOUND = "Session with given id not found."
TARGET_NOT_FOUND = "No target with given id found."
TARGET_CLOSED = "Target closed"
OBJECT_NOT_FOUND = "Could not find object with given id"
CONTEXT_DESTROYED = "Execution context was destroyed."

# chrome.debugger
DEBUGGER_ALREADY_ATTACHED = ErrorText("already attached")
DEBUGGER_NOT_ATTACHED = ErrorText("Debugger is not attached")
DETACHED_WHILE_RUNNING = ErrorText("Detached while handling command")
# Another extension has put a frame into the page: Chrome lets no debugger in beside it.
OTHER_EXTENSIONS_FRAME = ErrorText("URL of different extension")

# Calls into a page. The first kind never began, so it is safe to repeat; during the second the document went away.
CALL_NOT_STARTED = ErrorText(
    "Cannot find context",
    "Could not find object",
    "uniqueContextId not found",
    "Invalid remote object id",
    "No frame for given id",
    "No frame with given id",
    "Frame with the given",
    "Session with given id",
    "Session closed",
    "Target closed",
    "frame does not have",
    "has been closed",
)
CALL_INTERRUPTED = ErrorText(
    "Execution context was destroyed", "navigated or closed", "Cannot find default execution context"
)

# V8's exception for a script with ``throwOnSideEffect``: it was ended before the side effect.
POSSIBLE_SIDE_EFFECT = ErrorText("Possible side-effect in debug-evaluate")

# Playwright's calls on pages and elements
PAGE_WENT_AWAY = ErrorText("Execution context was destroyed", "navigated or closed")
NAVIGATION_INTERRUPTED = ErrorText("interrupted by another navigation")
PAGE_CRASHED = ErrorText("crashed")
TARGET_WAS_CLOSED = ErrorText("has been closed")
DRIVER_GONE = ErrorText("Connection closed")
# The client and the driver of Playwright disagree about which objects exist: one of them fell behind.
DRIVER_CONFUSED = ErrorText('Cannot find object to "', "Object doesn't exist", "Unknown new child")
STRICT_MODE_VIOLATION = ErrorText("strict mode violation")
ELEMENT_NOT_ACTIONABLE = ErrorText("Element is not", "intercepts pointer events", "not enabled")
ELEMENT_GONE = ErrorText("not attached", "Element not found")
INVALID_SELECTOR = ErrorText("is not a valid selector", "Unknown engine", "Unexpected token")
UNKNOWN_KEY = ErrorText("Unknown key")
COOKIE_REFUSED = ErrorText("cookie", ignore_case=True)

# Playwright's launch and new_context
NO_SANDBOX = ErrorText("No usable sandbox", "sandboxing failed", "without --no-sandbox is not supported")
NO_DISPLAY = ErrorText("display", ignore_case=True)
PROFILE_IN_USE = ErrorText("ProcessSingleton")
UNKNOWN_LOCALE_OR_TIMEZONE = ErrorText("locale", "timezone", ignore_case=True)
BROWSER_CLOSED = ErrorText("closed")

# Chromium's network errors
NETWORK_ERROR_PREFIX = "net::"
NAVIGATION_ABORTED = "net::ERR_ABORTED"
REQUEST_BLOCKED = ErrorText("BLOCKED")
_NETWORK_ERROR = re.compile(r"net::(ERR_[A-Z_]+)(?: at (\S+))?")

_SCRIPT_ERROR = re.compile(r"\b\w*Error: .*")
_API_NAME = re.compile(r"^\w+\.\w+: ")

# An event of the relay's own, for every session of a tab: the debugger was detached and is attached again.
REATTACHED_EVENT = "Pilot.attachedAgain"
# Our filter in the CDP pipe (``engines/driver_preload``), or the extension, has dropped events of the page.
DROPPED_EVENT = "Pilot.eventsDropped"


class RelayError(Enum):
    """Errors that the relay returns in Chrome's place; the value is the prefix of the message."""

    OUTCOME_UNKNOWN = "Browser Pilot does not know the outcome: "
    DISCONNECTED = "Browser Pilot has lost the browser: "
    PAUSED = "Browser Pilot is paused: "
    STOPPED = "Browser Pilot is stopped: "
    PAGE_BARRED = "Browser Pilot is kept out of this page: "
    FORBIDDEN = "Browser Pilot does not do this in your own browser: "

    def wrap(self, message: str) -> str:
        return self.value + message


def parse_relay_error(message: str) -> tuple[RelayError, str] | None:
    """The relay's error inside a message of Playwright, with its text; None when there is none."""
    for kind in RelayError:
        _, found, text = message.partition(kind.value)
        if found:
            return kind, text.strip()
    return None


def is_driver_failure(message: str) -> bool:
    """Whether Playwright's driver has ended or does not know its own objects any more."""
    return DRIVER_GONE.matches(message) or DRIVER_CONFUSED.matches(message)


def is_detached(message: str) -> bool:
    """Whether Chrome has detached the debugger, before a command or while it ran."""
    return DEBUGGER_NOT_ATTACHED.matches(message) or DETACHED_WHILE_RUNNING.matches(message)


def network_error(message: str) -> tuple[str, str | None] | None:
    """Chromium's code (``ERR_…``) and, where it is named, the address."""
    found = _NETWORK_ERROR.search(message)
    return (found[1], found[2]) if found else None


def script_error(message: str) -> str | None:
    """The JavaScript error that a script threw, with its type: ``TypeError: …``."""
    found = _SCRIPT_ERROR.search(message)
    return found[0] if found else None


def first_line(message: str) -> str:
    """The first line of a message; Playwright adds a call log below it."""
    return message.strip().splitlines()[0] if message.strip() else "no reason given"


def without_api_name(line: str) -> str:
    """Without the ``Page.goto: `` that Playwright puts in front."""
    return _API_NAME.sub("", line)
