"""Files that the user's browser downloaded for an agent, put where Playwright looks for them.

Chrome saves them where the user's downloads go and tells the debugger a guid; the file is found by its address and
copied to the folder of artifacts under that guid.
"""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from ..errors import DownloadFailed
from ..home import make_private_folder
from .link import BrowserLink
from .wire import Json

# Chrome tells the end of a download a moment before it has given the file its name.
LOOKS = 20
BETWEEN_LOOKS_SECONDS = 0.1


class Downloads:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._begun: dict[str, tuple[str, datetime]] = {}
        self._taken: set[int] = set()

    def begin(self, params: Json) -> None:
        self._begun[str(params["guid"])] = (str(params["url"]), datetime.now(UTC) - timedelta(seconds=5))

    async def fetch(self, link: BrowserLink, params: Json) -> None:
        """Copy a finished download to where Playwright expects it."""
        guid = str(params["guid"])
        url, since = self._begun.pop(guid, ("", datetime.now(UTC)))
        query = {"url": url, "startedAfter": since.isoformat().replace("+00:00", "Z")}
        for _ in range(LOOKS):
            found = cast("list[dict[str, Any]]", await link.call("downloads.search", query))
            done = [one for one in found if one["state"] == "complete" and one["id"] not in self._taken]
            if done:
                self._taken.add(int(done[0]["id"]))
                target = make_private_folder(self.folder) / guid
                await asyncio.to_thread(shutil.copyfile, done[0]["filename"], target)
                return
            await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
        raise DownloadFailed("The browser has the file, but does not say where.")
