"""The mark of the web: where the system has one, a file carries the address that it came from.

Linux desktops read ``user.xdg.origin.url``; Windows reads the stream ``Zone.Identifier`` and asks before it opens such
a file. Addresses are given redacted. A file system without a place for it has no mark, and that is no failure.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

INTERNET_ZONE = 3
LONGEST_URL = 2_000


def mark_of_the_web(path: Path, *, source: str, referrer: str) -> None:
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
    """One line; a data: address is the file itself, so only its kind is told."""
    if url[:5].lower() == "data:":
        url = url.partition(",")[0]
    return "".join(url.split())[:LONGEST_URL]
