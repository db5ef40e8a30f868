"""The mark of the web: metadata of a file with the URL that it came from, where the system supports it.

Linux desktops read ``user.xdg.origin.url``; Windows reads the stream ``Zone.Identifier`` and asks before it opens such
a file. The caller redacts the URLs. A file system without support gets no mark; that is not an error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

INTERNET_ZONE = 3
MAX_URL_CHARACTERS = 2_000


def write_mark(path: Path, *, source: str, referrer: str) -> None:
    source, referrer = _short(source), _short(referrer)
    with suppress(OSError):
        if sys.platform == "win32":
            lines = ["[ZoneTransfer]", f"ZoneId={INTERNET_ZONE}", f"ReferrerUrl={referrer}", f"HostUrl={source}"]
            Path(f"{path}:Zone.Identifier").write_text("\r\n".join(lines), encoding="utf-8")
        elif hasattr(os, "setxattr"):
            os.setxattr(path, "user.xdg.origin.url", source.encode())
            if referrer:
                os.setxattr(path, "user.xdg.referrer.url", referrer.encode())


def _short(url: str) -> str:
    """One line; a data: URL contains the file itself, so only its MIME type is kept."""
    if url[:5].lower() == "data:":
        url = url.partition(",")[0]
    return "".join(url.split())[:MAX_URL_CHARACTERS]
