"""Errors of downloads: the server refuses, the network fails, or the user's policy blocks it."""

from __future__ import annotations

import shutil
import tempfile

from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.errors import DownloadBroken, DownloadFailed, PilotError
from browser_pilot.page.observe.proxy_errors import PROXY_STATUSES, NetworkErrorLookup, unreachable_error
from browser_pilot.page.playwright_errors import NETWORK_REASONS
from browser_pilot.upstream_errors import NETWORK_ERROR_PREFIX, REQUEST_BLOCKED

_DISK_FULL_BYTES = 1 << 20


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
    return broken(describe_network_error(error) or "the navigation failed")


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


def broken(reason: str) -> DownloadBroken:
    return DownloadBroken(
        f"Network request failed: {reason}",
        suggestions=["Try again; no part of the file was kept."],
        metadata={"reason": "network"},
    )


def _blocked_or_failed(failure: BlockedByPolicy | NetworkFailure, url: str) -> PilotError:
    if isinstance(failure, BlockedByPolicy):
        return unreachable_error(failure, "The download", url)
    return broken(describe_network_error(failure.code))


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
