"""File names: thirteen digits of a timestamp, or a proposed name made safe on every system. Pure.

A name from a page or a server may try to leave its folder, name a device, hide its file type, or display differently
from its characters. A safe name is one path component of plain characters, with the extension of the file's type.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from .file_types import KNOWN_EXTENSIONS, extension_of_name, is_more_specific

MAX_FILENAME_BYTES = 160
_RESERVED = re.compile(
    r"(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]|desktop|thumbs|autorun|folder)", re.IGNORECASE
)
_PUNCTUATION = frozenset(" -_.()[]+,=@'")
_DOT_SEGMENT = re.compile(r"[.]([^.]*)")


class TimestampNames:
    """Unique names of thirteen digits: the time in milliseconds."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        self._clock_ms = clock_ms
        self._last = 0

    def next(self) -> str:
        self._last = max(self._clock_ms(), self._last + 1)
        return f"{self._last:013d}"


def safe_filename(proposed: str, extension: str) -> str | None:
    """The proposed name with the extension of the file's type; None when no part of it can be used."""
    plain = _plain(unicodedata.normalize("NFKC", proposed).replace("\\", "/").rpartition("/")[2])
    proposed_extension = extension_of_name(plain)
    if proposed_extension:
        plain = plain.rstrip(". ").rpartition(".")[0]
        extension = proposed_extension if is_more_specific(extension, proposed_extension) else extension
    stem = _DOT_SEGMENT.sub(_disarm, plain).strip(" .-_")
    if not any(character.isalnum() for character in stem):
        return None
    if _RESERVED.fullmatch(stem.partition(".")[0].strip()):
        stem = f"file {stem}"
    return f"{_cut(stem, MAX_FILENAME_BYTES - len(extension))}.{extension}"


def filename_candidates(name: str) -> Iterator[str]:
    """The name, and numbered ones in case it exists: "report (1).pdf"."""
    yield name
    stem, _, extension = name.rpartition(".")
    for number in range(1, 10_000):
        yield f"{stem} ({number}).{extension}"


def _plain(text: str) -> str:
    """Letters, digits and harmless punctuation; control and format characters are removed, others become "_"."""
    kept: list[str] = []
    for character in text:
        kind = unicodedata.category(character)
        if kind[0] in "LN" or character in _PUNCTUATION or (kind == "Mn" and kept and kept[-1][-1].isalpha()):
            kept.append(character)
        elif kind[0] not in "CM":
            kept.append("_")
    return "".join(kept)


def _disarm(segment: re.Match[str]) -> str:
    """Disarms what looks like another extension inside the name."""
    return f"_{segment[1]}" if segment[1].strip().lower() in KNOWN_EXTENSIONS else segment[0]


def _cut(stem: str, max_bytes: int) -> str:
    return stem.encode()[:max_bytes].decode(errors="ignore").rstrip(" .")
