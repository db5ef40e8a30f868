"""Why a file could not be had: the server says no, the network fails, or a rule of the user stands between."""

from __future__ import annotations

import shutil
import tempfile

from browser_pilot.egress import Failure, Refusal
from browser_pilot.errors import DownloadBroken, DownloadFailed, PilotError
from browser_pilot.pages.playwright_errors import NETWORK_REASONS
from browser_pilot.pages.unreached import STATUSES_OF_THE_PROXY, Troubles, unreached_error

_LITTLE_ROOM = 1 << 20


def bad_status(troubles: Troubles, url: str, status: int) -> PilotError:
    trouble = troubles(url) if status in STATUSES_OF_THE_PROXY else None
    if trouble is not None:
        return _stood_between(trouble, url)
    kind = DownloadBroken if status >= 500 else DownloadFailed
    return kind(
        f"Resource fetch failed: {status}", suggestions=_after(status), metadata={"reason": "status", "status": status}
    )


def unreached(troubles: Troubles, url: str, error: str) -> PilotError:
    trouble = troubles(url)
    if trouble is not None:
        return _stood_between(trouble, url)
    if "BLOCKED" in error:
        return DownloadFailed("Download blocked by browser", metadata={"reason": "blocked"})
    return broken(in_words(error) or "the navigation came to nothing")


def no_answer(troubles: Troubles, url: str, *, seconds: float) -> PilotError:
    trouble = troubles(url)
    if trouble is not None:
        return _stood_between(trouble, url)
    return broken(f"no answer within {seconds:.0f} s")


def stalled(seconds: float) -> DownloadFailed:
    """Nothing comes any more: the connection broke, or there is no room where the browser puts it."""
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        free = _LITTLE_ROOM
    if free < _LITTLE_ROOM:
        return DownloadFailed("The disk is full.", suggestions=["Free some space."], metadata={"reason": "disk_full"})
    return broken(f"nothing came for {seconds:.0f} s")


def broken(why: str) -> DownloadBroken:
    return DownloadBroken(
        f"Network request failed: {why}",
        suggestions=["Try again; nothing of it was kept."],
        metadata={"reason": "network"},
    )


def _stood_between(trouble: Refusal | Failure, url: str) -> PilotError:
    if isinstance(trouble, Refusal):
        return unreached_error(trouble, "The download", url)
    return broken(in_words(f"net::{trouble.code}"))


def in_words(error: str) -> str:
    code = error.removeprefix("net::")
    meaning = NETWORK_REASONS.get(code)
    return f"{meaning} ({code})" if meaning else code


def _after(status: int) -> list[str]:
    if status >= 500:
        return ["Try again later; nothing of it was kept."]
    if status in (401, 403):
        return ["The site wants a login, or the page that shows it: open that page, then download from there."]
    return ["Look at the page with browser_snapshot: the address may be another one."]


def unreadable(url: str, why: str) -> DownloadFailed:
    """What a page holds only for itself: a picture of another site on its canvas, a video that it puts together."""
    suggestions = ["Take a browser_screenshot of the element instead."]
    if url[:5] == "blob:":
        suggestions.insert(0, "The page puts it together piece by piece; browser_network may show where from.")
    return DownloadFailed(
        "Element has no downloadable resource",
        suggestions=[f"It cannot be read: {why.rstrip('.')}.", *suggestions],
        metadata={"reason": "no_resource"},
    )
