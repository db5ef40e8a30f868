"""The errors that a caller may get.

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
    │   ├── PausedByUser         PAUSED_BY_USER
    │   ├── FileDenied           FILE_DENIED
    │   ├── BudgetExhausted      BUDGET_EXHAUSTED
    │   ├── RateLimited          RATE_LIMITED
    │   └── CircuitOpen          CIRCUIT_OPEN
    ├── RecordsUnavailable       RECORDS_UNAVAILABLE
    ├── SharingUnavailable       SHARING_UNAVAILABLE
    ├── GuestFailed              GUEST_FAILED
    ├── HubUnavailable           HUB_UNAVAILABLE
    │   └── HubMisconfigured     INVALID_SETTINGS
    ├── SettingsError            INVALID_SETTINGS
    └── InternalError            INTERNAL_ERROR
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

MAX_TEXT_CHARACTERS = 800


class PilotError(Exception):
    """The base class; never raised itself."""

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
    """An error of the element that a call names."""


class ElementNotFound(ElementError):
    code = "ELEMENT_NOT_FOUND"
    retryable = True


class ElementAmbiguous(ElementError):
    code = "ELEMENT_AMBIGUOUS"


class ElementNotActionable(ElementError):
    code = "ELEMENT_NOT_ACTIONABLE"
    retryable = True


class ElementChanged(ElementNotActionable):
    """The element changed after the authorization. The gateway retries; the caller sees this after the last attempt."""


class StaleRef(ElementError):
    code = "STALE_REF"


class PageError(PilotError):
    """An error of the session, the tab or its page."""


class NoTab(PageError):
    code = "NO_TAB"


class NoSession(PageError):
    code = "NO_SESSION"


class SessionLimit(PageError):
    """The maximum number of sessions, or the memory limit of their browsers, is reached."""

    code = "SESSION_LIMIT"
    retryable = True


class NavigationFailed(PageError):
    code = "NAVIGATION_FAILED"
    retryable = True


class PageBarred(PageError):
    """Chrome does not allow extensions to attach to this page."""

    code = "PAGE_BARRED"


class DialogOpen(PageError):
    code = "DIALOG_OPEN"
    retryable = True


class DownloadFailed(PageError):
    code = "DOWNLOAD_FAILED"


class DownloadBroken(DownloadFailed):
    """The network or the server failed; a retry may succeed."""

    retryable = True


class Timeout(PageError):
    code = "TIMEOUT"
    retryable = True


class BrowserError(PilotError):
    """An error of the browser itself."""


class BrowserCrashed(BrowserError):
    code = "BROWSER_CRASHED"
    retryable = True


class BrowserDisconnected(BrowserError):
    code = "BROWSER_DISCONNECTED"
    retryable = True


class BrowserUnavailable(BrowserError):
    code = "BROWSER_UNAVAILABLE"


class GridUnavailable(BrowserError):
    """The Selenium Grid does not respond, or has no browser of the requested kind."""

    code = "GRID_UNAVAILABLE"
    retryable = True


class GridFull(BrowserError):
    """All browsers of the Selenium Grid are in use, and none became free in time."""

    code = "GRID_FULL"
    retryable = True


class OutcomeUnknown(BrowserError):
    """The action may or may not have taken effect; it was not retried."""

    code = "OUTCOME_UNKNOWN"


class Refused(PilotError):
    """The policy, a budget or a person's decision denies it."""


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


class PausedByUser(Refused):
    """The user has paused all agents in their browser, and did not resume in time."""

    code = "PAUSED_BY_USER"
    retryable = True


class FileDenied(Refused):
    """A file of this machine that no site may get."""

    code = "FILE_DENIED"


class BudgetExhausted(Refused):
    code = "BUDGET_EXHAUSTED"


class RateLimited(Refused):
    code = "RATE_LIMITED"
    retryable = True


class CircuitOpen(Refused):
    code = "CIRCUIT_OPEN"
    retryable = True


class RecordsUnavailable(PilotError):
    """The audit log cannot be written, so no action that must be recorded may be executed."""

    code = "RECORDS_UNAVAILABLE"


class SharingUnavailable(PilotError):
    """The state that hubs share (Redis) is unavailable, so no action that depends on it may be executed."""

    code = "SHARING_UNAVAILABLE"
    retryable = True


class GuestFailed(PilotError):
    code = "GUEST_FAILED"


class HubUnavailable(PilotError):
    """No hub could be reached or started. The hub's own error code, if it sent one, is `cause` in the metadata."""

    code = "HUB_UNAVAILABLE"
    retryable = True


class SettingsError(PilotError):
    code = "INVALID_SETTINGS"


class HubMisconfigured(HubUnavailable):
    """The hub refuses to start, or refuses this client, because of invalid settings or options."""

    code = SettingsError.code
    retryable = False


class InternalError(PilotError):
    """A bug in Browser Pilot; the log has the details."""

    code = "INTERNAL_ERROR"


def unexpected_error(tool: str) -> InternalError:
    """For a tool call that ended with an exception that is no ``PilotError``."""
    return InternalError(
        f"{tool[:100]} failed unexpectedly; the hub's log has the details.",
        suggestions=["Try another way, and report this as a bug."],
    )


def error_data(error: PilotError) -> dict[str, object]:
    """The error as data for the caller. Texts are truncated: they may contain what the caller sent."""
    data: dict[str, object] = {"error": error.code, "message": _truncate(error.message)}
    if error.suggestions:
        data["suggestions"] = [_truncate(suggestion) for suggestion in error.suggestions]
    data["retryable"] = error.retryable
    data.update(error.metadata)
    return data


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}…"
