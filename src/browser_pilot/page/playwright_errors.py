"""Translates Playwright's errors into ours. ``upstream_errors`` recognizes them by their texts. No state."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from browser_pilot.errors import (
    BrowserCrashed,
    BrowserDisconnected,
    ElementAmbiguous,
    ElementNotActionable,
    ElementNotFound,
    InternalError,
    InvalidArgument,
    NavigationFailed,
    NoTab,
    OutcomeUnknown,
    PageBarred,
    PausedByUser,
    PermissionDenied,
    PilotError,
    Timeout,
)
from browser_pilot.upstream_errors import (
    DRIVER_CONFUSED,
    DRIVER_GONE,
    ELEMENT_GONE,
    ELEMENT_NOT_ACTIONABLE,
    INVALID_SELECTOR,
    NAVIGATION_INTERRUPTED,
    PAGE_CRASHED,
    PAGE_WENT_AWAY,
    STRICT_MODE_VIOLATION,
    TARGET_WAS_CLOSED,
    UNKNOWN_KEY,
    RelayError,
    first_line,
    network_error,
    parse_relay_error,
    without_api_name,
)

# Chromium's codes in plain English.
NETWORK_REASONS = {
    "ERR_NAME_NOT_RESOLVED": "the host name does not exist",
    "ERR_CONNECTION_REFUSED": "nothing listens at that address",
    "ERR_CONNECTION_RESET": "the server closed the connection",
    "ERR_CONNECTION_TIMED_OUT": "the server did not respond",
    "ERR_CONNECTION_FAILED": "no connection could be made",
    "ERR_ADDRESS_UNREACHABLE": "there is no route to that address",
    "ERR_INTERNET_DISCONNECTED": "this machine is offline",
    "ERR_PROXY_CONNECTION_FAILED": "Browser Pilot's own proxy does not respond; the browser sends nothing without it",
    "ERR_TOO_MANY_REDIRECTS": "the page redirects in a circle",
    "ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
    "ERR_CERT_DATE_INVALID": "its certificate has expired",
    "ERR_SSL_PROTOCOL_ERROR": "the server does not support https at that port",
    "ERR_UNSAFE_PORT": "the browser blocks that port",
    "ERR_EMPTY_RESPONSE": "the server sent nothing",
    "ERR_ABORTED": "the navigation was aborted (by a download, or by another navigation)",
    "ERR_BLOCKED_BY_CLIENT": "the request was blocked",
}


def _outcome_unknown(reason: str) -> OutcomeUnknown:
    return OutcomeUnknown(reason, suggestions=["Take a browser_snapshot to check the page's state before you go on."])


def _disconnected(reason: str) -> BrowserDisconnected:
    return BrowserDisconnected(reason, suggestions=["Try again in a moment: the browser may reconnect."])


def _paused(reason: str) -> PausedByUser:
    return PausedByUser(reason, suggestions=["Try again later: the user resumes in the browser."])


def _stopped(reason: str) -> PermissionDenied:
    return PermissionDenied(reason, suggestions=["Do not try again. Ask the user what to do."])


def _forbidden(reason: str) -> PermissionDenied:
    return PermissionDenied(f"Not in the user's own browser: {reason}")


def _barred(reason: str) -> PageBarred:
    return PageBarred(
        f"Chrome does not allow the debugger on this page: {reason}",
        suggestions=[
            "Open another page in this tab with browser_navigate, or this one again: the frame may be gone then.",
            "Your user can switch that extension off for this site.",
        ],
    )


_FROM_RELAY: dict[RelayError, Callable[[str], PilotError]] = {
    RelayError.OUTCOME_UNKNOWN: _outcome_unknown,
    RelayError.DISCONNECTED: _disconnected,
    RelayError.PAUSED: _paused,
    RelayError.STOPPED: _stopped,
    RelayError.PAGE_BARRED: _barred,
    RelayError.FORBIDDEN: _forbidden,
}


@contextmanager
def translated(operation: str) -> Generator[None]:
    """Translate Playwright's errors inside; ``operation`` names the operation in messages."""
    try:
        yield
    except Error as error:
        raise translate(error, operation) from error


def relay_error(error: Error) -> PilotError | None:
    """The error of our own relay to the user's browser, which Playwright only passes on."""
    found = parse_relay_error(error.message)
    return _FROM_RELAY[found[0]](found[1]) if found is not None else None


def translate(error: Error, operation: str) -> PilotError:
    message = error.message
    relayed = relay_error(error)
    if relayed is not None:
        return relayed
    network = network_error(message)
    if network is not None:
        return network_failure(*network, operation)
    if NAVIGATION_INTERRUPTED.matches(message):
        return NavigationFailed(
            f"{operation}: the page navigated elsewhere by itself.",
            suggestions=["Call again, or take a browser_snapshot first."],
        )
    if PAGE_WENT_AWAY.matches(message):
        return _outcome_unknown(
            f"{operation}: the page navigated while it ran, or Chrome detached from it for its PDF viewer."
        )
    if STRICT_MODE_VIOLATION.matches(message):
        return ElementAmbiguous(f"{operation}: {_reason(message)}", suggestions=["Use a ref from browser_snapshot."])
    if PAGE_CRASHED.matches(message):
        return BrowserCrashed(f"{operation}: the page crashed.", suggestions=["Call again: the tab is opened again."])
    if DRIVER_CONFUSED.matches(message):
        return BrowserCrashed(
            f"{operation}: the connection to the browser was disturbed.",
            suggestions=["Call again; if it fails again, open the page again with browser_navigate."],
        )
    if TARGET_WAS_CLOSED.matches(message) or DRIVER_GONE.matches(message):
        return NoTab(f"{operation}: the tab was closed meanwhile.", suggestions=["browser_tabs lists the open tabs."])
    if ELEMENT_NOT_ACTIONABLE.matches(message):
        return ElementNotActionable(
            f"{operation}: {_reason(message)}", suggestions=["Take a browser_snapshot to see what is in the way."]
        )
    if isinstance(error, PlaywrightTimeout):
        return Timeout(
            f"{operation} took too long.", suggestions=["Give a larger timeout_ms, or take a browser_snapshot first."]
        )
    if INVALID_SELECTOR.matches(message):
        return InvalidArgument(f"{operation}: {_reason(message)}", suggestions=["Use a ref from browser_snapshot."])
    if UNKNOWN_KEY.matches(message):
        return InvalidArgument(f"{operation}: {_reason(message)}", suggestions=["Keys are like Enter, Tab, Control+a."])
    if ELEMENT_GONE.matches(message):
        return ElementNotFound(f"{operation}: the element is gone.", suggestions=["Take a new browser_snapshot."])
    return InternalError(f"{operation}: {_reason(message)}")


def network_failure(code: str, address: str | None, operation: str) -> NavigationFailed:
    """The error for one of Chromium's network error codes."""
    reason = NETWORK_REASONS.get(code, "the browser could not load it")
    return NavigationFailed(
        f"{operation} failed: {reason} ({code}{f' at {address}' if address else ''}).",
        suggestions=["Check the address, or try again if the site may come back."],
    )


def _reason(message: str) -> str:
    return without_api_name(first_line(message))[:300]
