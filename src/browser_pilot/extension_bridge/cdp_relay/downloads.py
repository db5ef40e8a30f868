"""Downloads of the user's Chrome for an agent, made available where Playwright expects them.

Chrome saves into the user's download folder and reports a guid over CDP. The file is found by its URL with
`chrome.downloads` and linked into Playwright's artifacts folder under that guid.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import DownloadFailed, PilotError
from browser_pilot.extension_bridge.extension_connection import ExtensionConnection
from browser_pilot.files.file_saver import blob_gone
from browser_pilot.home import make_private_folder
from browser_pilot.json_types import JsonObject

# Chrome reports the end of a download shortly before it has given the file its name.
MAX_SEARCHES = 20
SEARCH_INTERVAL_SECONDS = 0.1
MAX_FAILURES = 100
_SAFE = ("safe", "accepted", "allowlistedByPolicy", "deepScannedSafe")


class ChromeDownloads:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._begun: dict[str, tuple[str, datetime]] = {}
        self._ended: dict[str, str] = {}
        self._taken: set[int] = set()
        self._tasks = BackgroundTasks("the downloads of a browser")

    def record_started(self, params: JsonObject) -> None:
        self._begun[str(params["guid"])] = (str(params["url"]), datetime.now(UTC) - timedelta(seconds=5))

    async def link_finished(self, connection: ExtensionConnection, params: JsonObject) -> None:
        """Link a finished download to where Playwright expects it."""
        guid = str(params["guid"])
        url, since = self._begun.pop(guid, ("", datetime.now(UTC)))
        query = _query(url, since)
        for _ in range(MAX_SEARCHES):
            found = cast("list[dict[str, Any]]", await connection.call("downloads.search", query))
            done = [one for one in found if one["state"] == "complete" and one["id"] not in self._taken]
            if done:
                self._taken.add(int(done[0]["id"]))
                await asyncio.to_thread(_link, Path(done[0]["filename"]), make_private_folder(self.folder) / guid)
                return
            await asyncio.sleep(SEARCH_INTERVAL_SECONDS)
        raise DownloadFailed("The browser has saved the file but does not report where.")

    async def record_failure(self, connection: ExtensionConnection, params: JsonObject) -> None:
        """Record why a download failed, for ``failure_of``."""
        url, since = self._begun.get(str(params["guid"]), ("", datetime.now(UTC)))
        found = cast("list[dict[str, Any]]", await connection.call("downloads.search", _query(url, since)))
        errors = [str(one["error"]) for one in found if one.get("error")]
        if errors:
            self._ended[url] = errors[0]
            for old in list(self._ended)[:-MAX_FAILURES]:
                del self._ended[old]

    def failure_of(self, url: str) -> DownloadFailed | None:
        """Why Chrome could not write its last download of a URL, if that was the reason."""
        error = self._ended.pop(url, "")
        return _save_error(error) if error.startswith("FILE_") else None

    async def save_blob(
        self, connection: ExtensionConnection, url: str, name: str, on_progress: Callable[[int], None]
    ) -> Path:
        """Let Chrome save the content of a blob: URL; its path. When interrupted, the partial file is removed."""
        number = int(await connection.call("downloads.saveBlob", {"url": url, "filename": name}))
        try:
            while True:
                item = cast("dict[str, Any]", await connection.call("downloads.poll", number))
                on_progress(int(item["bytesReceived"]))
                if item["state"] == "complete":
                    return Path(item["filename"])
                if item["state"] == "interrupted" or item["danger"] not in _SAFE:
                    raise _save_error(str(item.get("error") or item["danger"]))
        except BaseException:
            self._tasks.spawn(_discard(connection, number))
            raise

    async def cancel(self, connection: ExtensionConnection, guid: str) -> None:
        """Cancel a running download; Chrome removes the partial file."""
        url, since = self._begun.get(guid, ("", datetime.now(UTC)))
        if url:
            await connection.call("downloads.cancel", _query(url, since))


async def _discard(connection: ExtensionConnection, number: int) -> None:
    with suppress(PilotError):
        await connection.call("downloads.discard", number)


def _save_error(error: str) -> DownloadFailed:
    if error.startswith("NETWORK_"):
        return blob_gone()
    if error == "FILE_NO_SPACE":
        return DownloadFailed("The disk is full.", suggestions=["Free some space."], metadata={"reason": "disk_full"})
    return DownloadFailed(
        "Download blocked by browser",
        suggestions=[f"Chrome reports {error}. The user may have to allow the download there."],
        metadata={"reason": "blocked"},
    )


def _query(url: str, since: datetime) -> dict[str, str]:
    return {"url": url, "startedAfter": since.isoformat().replace("+00:00", "Z")}


def _link(file: Path, target: Path) -> None:
    """Symlink, so that the file stays in the user's download folder; copy where the system has no symlinks."""
    try:
        target.symlink_to(file)
    except OSError:
        shutil.copyfile(file, target)
