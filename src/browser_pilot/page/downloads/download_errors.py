"""Errors of downloads: the server refuses, the network fails, or the user's policy blocks it."""

from __future__ import annotations

import re
import shutil
import tempfile
from http import HTTPStatus

from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.errors import DownloadBroken, DownloadFailed, PilotError
from browser_pilot.page.observe.proxy_errors import PROXY_STATUSES, NetworkErrorLookup, unreachable_error
from browser_pilot.page.playwright_errors import NETWORK_REASONS
from browser_pilot.upstream_errors import NETWORK_ERROR_PREFIX, REQUEST_BLOCKED

_DISK_FULL_BYTES = 1 << 20
_TRY_AGAIN = "Try again; no part of the file was kept."
_CONTENT_RANGE = re.compile(r"bytes (?P<first>\d{1,18})-(?P<last>\d{1,18})/(?P<size>\d{1,18})")
# Errors that another attempt does not change, by the beginning of their code.
_PERMANENT = {
    "ERR_TOO_MANY_REDIRECTS": "The server redirects in a circle: use another URL.",
    "ERR_NAME_NOT_RESOLVED": "Check the spelling of the host name.",
    "ERR_UNSAFE_PORT": "Browsers block this port: use another URL.",
    "ERR_CERT_": "Only the user can change which certificates are trusted.",
    "ERR_UNKNOWN_URL_SCHEME": "Use an http or https URL.",
    "ERR_INVALID_URL": "Check the URL.",
}


def bad_status(last_network_error: NetworkErrorLookup, url: str, status: int) -> PilotError:
    failure = last_network_error(url) if status in PROXY_STATUSES else None
    if failure is not None:
        return _blocked_or_failed(failure, url)
    kind = DownloadBroken if status >= 500 else DownloadFailed
    return kind(
        f"Resource fetch failed: {status}",
        suggestions=_status_suggestions(status),
        metadata={"reason": "status", "status": status},
    )


def navigation_failed(last_network_error: NetworkErrorLookup, url: str, error: str) -> PilotError:
    failure = last_network_error(url)
    if failure is not None:
        return _blocked_or_failed(failure, url)
    if REQUEST_BLOCKED.matches(error):
        return DownloadFailed("Download blocked by browser", metadata={"reason": "blocked"})
    return network_error(error) if error else broken("the navigation failed")


def response_timeout(last_network_error: NetworkErrorLookup, url: str, *, seconds: float) -> PilotError:
    failure = last_network_error(url)
    if failure is not None:
        return _blocked_or_failed(failure, url)
    return broken(f"no response within {seconds:.0f} s")


def stalled(seconds: float) -> DownloadFailed:
    """No more data: the connection broke, or the disk of the browser's temporary folder is full."""
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        free = _DISK_FULL_BYTES
    if free < _DISK_FULL_BYTES:
        return DownloadFailed("The disk is full.", suggestions=["Free some space."], metadata={"reason": "disk_full"})
    return broken(f"no data for {seconds:.0f} s")


class PageGone(DownloadBroken):
    """The page that fetched the file was closed or navigated; the browser may fetch it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Network request failed: {reason}", suggestions=[_TRY_AGAIN], metadata={"reason": "network"})


def require_whole_file(status: int, content_range: str) -> None:
    """Raise for a response that is successful but not the file: without content, or a part that nobody requested."""
    if status in (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT):
        raise DownloadFailed(
            f"The server sent no file ({status}).",
            suggestions=["Take a browser_snapshot: the page may download it in another way."],
            metadata={"reason": "status", "status": status},
        )
    found = _CONTENT_RANGE.fullmatch(content_range.strip())
    is_whole = found is not None and int(found["first"]) == 0 and int(found["last"]) + 1 == int(found["size"])
    if status == HTTPStatus.PARTIAL_CONTENT and not is_whole:
        raise DownloadFailed(
            f"The server sent only a part of the file ({content_range or 'which is unknown'}).",
            suggestions=["It may send the whole file for another URL: browser_network lists what the page loaded."],
            metadata={"reason": "partial", "status": status},
        )


def network_error(code: str) -> DownloadFailed:
    """For an error code of the browser or the proxy."""
    name = code.removeprefix(NETWORK_ERROR_PREFIX)
    advice = next((text for part, text in _PERMANENT.items() if name.startswith(part)), None)
    if advice is None:
        return broken(describe_network_error(code))
    return DownloadFailed(
        f"Network request failed: {describe_network_error(code)}",
        suggestions=[advice],
        metadata={"reason": "network"},
    )


def broken(reason: str) -> DownloadBroken:
    return DownloadBroken(
        f"Network request failed: {reason}",
        suggestions=[_TRY_AGAIN],
        metadata={"reason": "network"},
    )


def _blocked_or_failed(failure: BlockedByPolicy | NetworkFailure, url: str) -> PilotError:
    if isinstance(failure, BlockedByPolicy):
        return unreachable_error(failure, "The download", url)
    return network_error(failure.code)


def describe_network_error(error: str) -> str:
    code = error.removeprefix(NETWORK_ERROR_PREFIX)
    meaning = NETWORK_REASONS.get(code)
    return f"{meaning} ({code})" if meaning else code


def _status_suggestions(status: int) -> list[str]:
    if status >= 500:
        return ["Try again later; no part of the file was kept."]
    if status in (401, 403):
        return ["The site requires a login or a referrer: open the page that shows the file, then download from there."]
    return ["Take a browser_snapshot: the URL may have changed."]


def unreadable(url: str, reason: str) -> DownloadFailed:
    """What only the page can use: a canvas tainted by another origin, or a video from a MediaSource."""
    suggestions = ["Take a browser_screenshot of the element instead."]
    if url[:5] == "blob:":
        suggestions.insert(0, "The page assembles it from pieces; browser_network may show their URLs.")
    return DownloadFailed(
        "Element has no downloadable resource",
        suggestions=[f"It cannot be read: {reason.rstrip('.')}.", *suggestions],
        metadata={"reason": "no_resource"},
    )
