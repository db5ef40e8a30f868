"""The seam between a page that holds a file and a browser that writes it itself: the user's own Chrome.

``page.downloads`` requests the file, the relay to the user's Chrome implements ``FileSaver``; they do not import each
other.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from browser_pilot.errors import DownloadFailed


class FileSaver(Protocol):
    """Saves files in the user's own download folder."""

    async def save_blob(self, url: str, name: str, on_progress: Callable[[int], None]) -> Path:
        """Save the content of a blob: URL; ``on_progress`` is called with the number of bytes so far."""
        ...

    def failure_of(self, url: str) -> DownloadFailed | None:
        """Why the browser gave up its last download of this URL, if it reported a reason."""
        ...


def blob_gone() -> DownloadFailed:
    """For a blob: URL whose page is gone, and the blob with it, though a PDF viewer may still show it."""
    return DownloadFailed(
        "Element has no downloadable resource",
        suggestions=["The page that made it is gone, and the file with it: go back there and save it from its link."],
        metadata={"reason": "no_resource"},
    )
