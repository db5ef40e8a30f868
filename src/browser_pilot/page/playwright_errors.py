"""Translates Playwright's errors into ours, once, at one seam."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ..bridge.cdp import AWAY, BARRED, FORBIDDEN, HALTED, UNKNOWN
from ..errors import (
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
    PermissionDenied,
    PilotError,
    Timeout,
)

NETWORK_ERROR = re.compile(r"net::(ERR_[A-Z_]+)(?: at (\S+))?")
# What Chromium's own codes mean to someone who cannot look them up.
NETWORK_REASONS = {
    "ERR_NAME_NOT_RESOLVED": "the host name does not exist",
    "ERR_CONNECTION_REFUSED": "nothing listens at that address",
    "ERR_CONNECTION_RESET": "the server cut the connection",
    "ERR_CONNECTION_TIMED_OUT": "the server did not answer",
    "ERR_CONNECTION_FAILED": "no connection could be made",
    "ERR_ADDRESS_UNREACHABLE": "no way leads to that address",
    "ERR_INTERNET_DISCONNECTED": "this machine is offline",
    "ERR_PROXY_CONNECTION_FAILED": "Browser Pilot's own proxy does not answer; nothing leaves the browser without it",
    "ERR_TOO_MANY_REDIRECTS": "the page redirects in a circle",
    "ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
    "ERR_CERT_DATE_INVALID": "its certificate has expired",
    "ERR_SSL_PROTOCOL_ERROR": "it does not speak https there",
    "ERR_UNSAFE_PORT": "the browser blocks that port",
    "ERR_EMPTY_RESPONSE": "the server sent nothing",
    "ERR_ABORTED": "the navigation was cut off (a download, or another navigation)",
    "ERR_BLOCKED_BY_CLIENT": "the request was blocked",
}


def _unknown(words: str) -> OutcomeUnknown:
    return OutcomeUnknown(words, suggestions=["Take a browser_snapshot to see how things stand before you go on."])


def _away(words: str) -> BrowserDisconnected:
    return BrowserDisconnected(words, suggestions=["Try again in a moment: the browser may come back."])


def _halted(words: str) -> PermissionDenied:
    return PermissionDenied(words, suggestions=["Wait for the user to go on; do not try again at once."])


def _forbidden(words: str) -> PermissionDenied:
    return PermissionDenied(f"Not in the user's own browser: {words}")


def _barred(words: str) -> PageBarred:
    return PageBarred(
        f"Chrome lets no agent into this page: {words}",
        suggestions=[
            "Open another page in this tab with browser_navigate, or this one again: the frame may be gone then.",
            "Your user can switch that extension off for this site.",
        ],
    )


RELAYED: tuple[tuple[str, Callable[[str], PilotError]], ...] = (
    (UNKNOWN, _unknown),
    (AWAY, _away),
    (HALTED, _halted),
    (BARRED, _barred),
    (FORBIDDEN, _forbidden),
)


@contextmanager
def translated(doing: str) -> Generator[None]:
    """Errors of Playwright inside become ours; ``doing`` says what was tried, for messages."""
    try:
        yield
    except Error as error:
        raise translate(error, doing) from error


def from_the_relay(error: Error) -> PilotError | None:
    """What our own relay to the user's browser said, which Playwright only passes on."""
    for mark, make in RELAYED:
        _, found, words = error.message.partition(mark)
        if found:
            return make(words.strip())
    return None


def translate(error: Error, doing: str) -> PilotError:
    message = error.message
    relayed = from_the_relay(error)
    if relayed is not None:
        return relayed
    network = NETWORK_ERROR.search(message)
    if network:
        code, address = network.groups()
        return network_failure(code, address, doing)
    if "interrupted by another navigation" in message:
        return NavigationFailed(
            f"{doing}: the page went somewhere else by itself.", suggestions=["Call again, or look at the page first."]
        )
    if "Execution context was destroyed" in message or "navigated or closed" in message:
        return _unknown(f"{doing}: the page went away while it ran, or Chrome let go of it for its PDF viewer.")
    if "strict mode violation" in message:
        return ElementAmbiguous(f"{doing}: {_first_line(message)}", suggestions=["Use a ref from browser_snapshot."])
    if "crashed" in message:
        return BrowserCrashed(f"{doing}: the page crashed.", suggestions=["Call again: the tab is opened anew."])
    if "has been closed" in message or "Connection closed" in message:
        return NoTab(f"{doing}: the tab was closed meanwhile.", suggestions=["browser_tabs lists the open tabs."])
    if "Element is not" in message or "intercepts pointer events" in message or "not enabled" in message:
        return ElementNotActionable(
            f"{doing}: {_first_line(message)}", suggestions=["Take a browser_snapshot to see what is in the way."]
        )
    if isinstance(error, PlaywrightTimeout):
        return Timeout(f"{doing} took too long.", suggestions=["Give a larger timeout_ms, or look at the page first."])
    if "is not a valid selector" in message or "Unknown engine" in message or "Unexpected token" in message:
        return InvalidArgument(f"{doing}: {_first_line(message)}", suggestions=["Use a ref from browser_snapshot."])
    if "Unknown key" in message:
        return InvalidArgument(f"{doing}: {_first_line(message)}", suggestions=["Keys are like Enter, Tab, Control+a."])
    if "not attached" in message or "Element not found" in message:
        return ElementNotFound(f"{doing}: the element is gone.", suggestions=["Take a new browser_snapshot."])
    return InternalError(f"{doing}: {_first_line(message)}")


def network_failure(code: str, address: str | None, doing: str) -> NavigationFailed:
    """From one of Chromium's own codes."""
    reason = NETWORK_REASONS.get(code, "the browser could not load it")
    return NavigationFailed(
        f"{doing} failed: {reason} ({code}{f' at {address}' if address else ''}).",
        suggestions=["Check the address, or try again if the site may come back."],
    )


def _first_line(message: str) -> str:
    line = message.strip().splitlines()[0] if message.strip() else "no reason given"
    return re.sub(r"^\w+\.\w+: ", "", line)[:300]
