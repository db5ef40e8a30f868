"""Files that the user's browser downloaded for an agent, put where Playwright looks for them.

Chrome saves them where the user's downloads go and tells the debugger a guid; the file is found by its address and
linked into the folder of artifacts under that guid.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from ..errors import DownloadFailed, PilotError
from ..home import make_private_folder
from .link import BrowserLink
from .wire import Json

# Chrome tells the end of a download a moment before it has given the file its name.
LOOKS = 20
BETWEEN_LOOKS_SECONDS = 0.1
MOST_ENDED = 100
_HARMLESS = ("safe", "accepted", "allowlistedByPolicy", "deepScannedSafe")


class Downloads:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._begun: dict[str, tuple[str, datetime]] = {}
        self._ended: dict[str, str] = {}
        self._taken: set[int] = set()
        self._later: set[asyncio.Future[None]] = set()

    def begin(self, params: Json) -> None:
        self._begun[str(params["guid"])] = (str(params["url"]), datetime.now(UTC) - timedelta(seconds=5))

    async def fetch(self, link: BrowserLink, params: Json) -> None:
        """Copy a finished download to where Playwright expects it."""
        guid = str(params["guid"])
        url, since = self._begun.pop(guid, ("", datetime.now(UTC)))
        query = _query(url, since)
        for _ in range(LOOKS):
            found = cast("list[dict[str, Any]]", await link.call("downloads.search", query))
            done = [one for one in found if one["state"] == "complete" and one["id"] not in self._taken]
            if done:
                self._taken.add(int(done[0]["id"]))
                await asyncio.to_thread(_link, Path(done[0]["filename"]), make_private_folder(self.folder) / guid)
                return
            await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
        raise DownloadFailed("The browser has the file, but does not say where.")

    async def note_end(self, link: BrowserLink, params: Json) -> None:
        """A download came to nothing: remember what Chrome says of it."""
        url, since = self._begun.get(str(params["guid"]), ("", datetime.now(UTC)))
        found = cast("list[dict[str, Any]]", await link.call("downloads.search", _query(url, since)))
        errors = [str(one["error"]) for one in found if one.get("error")]
        if errors:
            self._ended[url] = errors[0]
            for old in list(self._ended)[:-MOST_ENDED]:
                del self._ended[old]

    def why_ended(self, url: str) -> DownloadFailed | None:
        """What Chrome said of the last download of an address, where it could not write the file."""
        error = self._ended.pop(url, "")
        return _not_saved(error) if error.startswith("FILE_") else None

    async def save(self, link: BrowserLink, url: str, name: str, moved: Callable[[int], None]) -> Path:
        """Let Chrome save what a page holds at a blob: address; where it is then. Stopped half-way, nothing stays."""
        number = int(await link.call("downloads.save", {"url": url, "filename": name}))
        try:
            while True:
                told = cast("dict[str, Any]", await link.call("downloads.look", number))
                moved(int(told["bytesReceived"]))
                if told["state"] == "complete":
                    return Path(told["filename"])
                if told["state"] == "interrupted" or told["danger"] not in _HARMLESS:
                    raise _not_saved(str(told.get("error") or told["danger"]))
        except BaseException:
            self._later.add(dropping := asyncio.ensure_future(_drop(link, number)))
            dropping.add_done_callback(self._later.discard)
            raise

    async def cancel(self, link: BrowserLink, guid: str) -> None:
        """Stop a download that is under way; Chrome removes what there is of it."""
        url, since = self._begun.get(guid, ("", datetime.now(UTC)))
        if url:
            await link.call("downloads.cancel", _query(url, since))


async def _drop(link: BrowserLink, number: int) -> None:
    with suppress(PilotError):
        await link.call("downloads.drop", number)


def no_longer_held() -> DownloadFailed:
    """What a page made and held at a blob: address went with it, though a PDF viewer may still show it."""
    return DownloadFailed(
        "Element has no downloadable resource",
        suggestions=["The page that made it is gone, and the file with it: go back there and save it from its link."],
        metadata={"reason": "no_resource"},
    )


def _not_saved(error: str) -> DownloadFailed:
    if error.startswith("NETWORK_"):
        return no_longer_held()
    if error == "FILE_NO_SPACE":
        return DownloadFailed("The disk is full.", suggestions=["Free some space."], metadata={"reason": "disk_full"})
    return DownloadFailed(
        "Download blocked by browser",
        suggestions=[f"Chrome says: {error}. Its user may have to allow it there."],
        metadata={"reason": "blocked"},
    )


def _query(url: str, since: datetime) -> dict[str, str]:
    return {"url": url, "startedAfter": since.isoformat().replace("+00:00", "Z")}


def _link(file: Path, target: Path) -> None:
    """The file stays where the user's downloads are; a copy only where the system has no links."""
    try:
        target.symlink_to(file)
    except OSError:
        shutil.copyfile(file, target)
