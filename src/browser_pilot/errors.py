"""The tree of errors that a caller may meet.

Each error has a stable ``code``, a message that says what happened, ``suggestions`` for what to do next, and
whether the same call may be tried again (``retryable``). ``metadata`` names the tool, tab and URL concerned.

    PilotError
    ├── InvalidArgument          INVALID_ARGUMENT
    ├── ElementError
    │   ├── ElementNotFound      ELEMENT_NOT_FOUND
    │   ├── ElementAmbiguous     ELEMENT_AMBIGUOUS
    │   ├── ElementNotActionable ELEMENT_NOT_ACTIONABLE
    │   └── StaleRef             STALE_REF
    ├── PageError
    │   ├── NoTab                NO_TAB
    │   ├── NoSession            NO_SESSION
    │   ├── SessionLimit         SESSION_LIMIT
    │   ├── NavigationFailed     NAVIGATION_FAILED
    │   ├── PageBarred           PAGE_BARRED
    │   ├── DialogOpen           DIALOG_OPEN
    │   ├── DownloadFailed       DOWNLOAD_FAILED
    │   └── Timeout              TIMEOUT
    ├── BrowserError
    │   ├── BrowserCrashed       BROWSER_CRASHED
    │   ├── BrowserDisconnected  BROWSER_DISCONNECTED
    │   ├── BrowserUnavailable   BROWSER_UNAVAILABLE
    │   ├── GridUnavailable      GRID_UNAVAILABLE
    │   ├── GridFull             GRID_FULL
    │   └── OutcomeUnknown       OUTCOME_UNKNOWN
    ├── Refused
    │   ├── DomainDenied         DOMAIN_DENIED
    │   ├── ReadOnly             READ_ONLY
    │   ├── ApprovalDenied       APPROVAL_DENIED
    │   ├── ApprovalTimeout      APPROVAL_TIMEOUT
    │   ├── PermissionDenied     PERMISSION_DENIED
    │   ├── BudgetExhausted      BUDGET_EXHAUSTED
    │   ├── RateLimited          RATE_LIMITED
    │   └── CircuitOpen          CIRCUIT_OPEN
    ├── RecordsUnavailable       RECORDS_UNAVAILABLE
    ├── SharingUnavailable       SHARING_UNAVAILABLE
    ├── GuestFailed              GUEST_FAILED
    ├── HubUnavailable           HUB_UNAVAILABLE
    ├── SettingsError            INVALID_SETTINGS
    └── InternalError            INTERNAL_ERROR
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

LONGEST_WORDS = 800


class PilotError(Exception):
    """The root: never raised itself."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        suggestions: Iterable[str] = (),
        metadata: Mapping[str, str | int] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = tuple(suggestions)
        self.metadata = dict(metadata or {})


class InvalidArgument(PilotError):
    code = "INVALID_ARGUMENT"


class ElementError(PilotError):
    """Something about the element that a call named."""


class ElementNotFound(ElementError):
    code = "ELEMENT_NOT_FOUND"
    retryable = True


class ElementAmbiguous(ElementError):
    code = "ELEMENT_AMBIGUOUS"


class ElementNotActionable(ElementError):
    code = "ELEMENT_NOT_ACTIONABLE"
    retryable = True


class ElementChanged(ElementNotActionable):
    """The element is no longer what was decided about. The gateway decides again; told only when that does not end."""


class StaleRef(ElementError):
    code = "STALE_REF"


class PageError(PilotError):
    """Something about the session, the tab or the page in it."""


class NoTab(PageError):
    code = "NO_TAB"


class NoSession(PageError):
    code = "NO_SESSION"


class SessionLimit(PageError):
    """There are as many sessions as there may be, or their browsers use as much memory as they may."""

    code = "SESSION_LIMIT"
    retryable = True


class NavigationFailed(PageError):
    code = "NAVIGATION_FAILED"
    retryable = True


class PageBarred(PageError):
    """The user's browser lets nobody into this page."""

    code = "PAGE_BARRED"


class DialogOpen(PageError):
    code = "DIALOG_OPEN"
    retryable = True


class DownloadFailed(PageError):
    code = "DOWNLOAD_FAILED"


class DownloadBroken(DownloadFailed):
    """The network or the server failed it: the same may succeed later."""

    retryable = True


class Timeout(PageError):
    code = "TIMEOUT"
    retryable = True


class BrowserError(PilotError):
    """Something about the browser itself."""


class BrowserCrashed(BrowserError):
    code = "BROWSER_CRASHED"
    retryable = True


class BrowserDisconnected(BrowserError):
    code = "BROWSER_DISCONNECTED"
    retryable = True


class BrowserUnavailable(BrowserError):
    code = "BROWSER_UNAVAILABLE"


class GridUnavailable(BrowserError):
    """The Selenium Grid does not answer, or has no browser of the kind that is wanted."""

    code = "GRID_UNAVAILABLE"
    retryable = True


class GridFull(BrowserError):
    """All browsers of the Selenium Grid are in use, and none became free in time."""

    code = "GRID_FULL"
    retryable = True


class OutcomeUnknown(BrowserError):
    """The action may or may not have happened; it was not tried twice."""

    code = "OUTCOME_UNKNOWN"


class Refused(PilotError):
    """The user's policy, budget or answer says no."""


class DomainDenied(Refused):
    code = "DOMAIN_DENIED"


class ReadOnly(Refused):
    code = "READ_ONLY"


class ApprovalDenied(Refused):
    code = "APPROVAL_DENIED"


class ApprovalTimeout(Refused):
    code = "APPROVAL_TIMEOUT"
    retryable = True


class PermissionDenied(Refused):
    code = "PERMISSION_DENIED"


class BudgetExhausted(Refused):
    code = "BUDGET_EXHAUSTED"


class RateLimited(Refused):
    code = "RATE_LIMITED"
    retryable = True


class CircuitOpen(Refused):
    code = "CIRCUIT_OPEN"
    retryable = True


class RecordsUnavailable(PilotError):
    """The activity log cannot be written, so nothing may be done that belongs in it."""

    code = "RECORDS_UNAVAILABLE"


class SharingUnavailable(PilotError):
    """What hubs share cannot be reached, so nothing may be done that needs it."""

    code = "SHARING_UNAVAILABLE"
    retryable = True


class GuestFailed(PilotError):
    code = "GUEST_FAILED"


class HubUnavailable(PilotError):
    """No hub could be reached or started; the hub's own code, where it gave one, is the metadata's `cause`."""

    code = "HUB_UNAVAILABLE"
    retryable = True


class SettingsError(PilotError):
    code = "INVALID_SETTINGS"


class InternalError(PilotError):
    """A bug of ours: the log has the details."""

    code = "INTERNAL_ERROR"


def error_data(error: PilotError) -> dict[str, object]:
    """An error as it is told. What a caller wrote may be part of it, so it is kept short."""
    data: dict[str, object] = {"error": error.code, "message": _clipped(error.message)}
    if error.suggestions:
        data["suggestions"] = [_clipped(suggestion) for suggestion in error.suggestions]
    data["retryable"] = error.retryable
    data.update(error.metadata)
    return data


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}…"
