"""Names for files: thirteen digits of the time, or a proposed name made safe on every system. Pure.

A name that someone else proposes may try to leave its folder, to be a device, to hide what kind of file it is, or to
read differently from how it is written. What comes out has none of that: one part, plain characters, one extension, and
that one is the file's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from .kinds import KNOWN, believes, extension_of_name

LONGEST_BYTES = 160
_RESERVED = re.compile(
    r"(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]|desktop|thumbs|autorun|folder)", re.IGNORECASE
)
_PUNCTUATION = frozenset(" -_.()[]+,=@'")
_ENDING = re.compile(r"[.]([^.]*)")


class Stamps:
    """Thirteen digits each, the milliseconds of the time, and no two alike."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        self._clock_ms = clock_ms
        self._last = 0

    def next(self) -> str:
        self._last = max(self._clock_ms(), self._last + 1)
        return f"{self._last:013d}"


def safe_name(proposed: str, extension: str) -> str | None:
    """The proposed name with the file's own extension; None when nothing of it can be used."""
    plain = _plain(unicodedata.normalize("NFKC", proposed).replace("\\", "/").rpartition("/")[2])
    given = extension_of_name(plain)
    if given:
        plain = plain.rstrip(". ").rpartition(".")[0]
        extension = given if believes(extension, given) else extension
    stem = _ENDING.sub(_closed, plain).strip(" .-_")
    if not any(character.isalnum() for character in stem):
        return None
    if _RESERVED.fullmatch(stem.partition(".")[0].strip()):
        stem = f"file {stem}"
    return f"{_cut(stem, LONGEST_BYTES - len(extension))}.{extension}"


def candidates(name: str) -> Iterator[str]:
    """The name, and others for when it is taken: "report (1).pdf"."""
    yield name
    stem, _, extension = name.rpartition(".")
    for number in range(1, 10_000):
        yield f"{stem} ({number}).{extension}"


def _plain(text: str) -> str:
    """Letters, digits and harmless punctuation; what only steers or hides is gone, the rest becomes a line."""
    kept: list[str] = []
    for character in text:
        kind = unicodedata.category(character)
        if kind[0] in "LN" or character in _PUNCTUATION or (kind == "Mn" and kept and kept[-1][-1].isalpha()):
            kept.append(character)
        elif kind[0] not in "CM":
            kept.append("_")
    return "".join(kept)


def _closed(ending: re.Match[str]) -> str:
    """Something that looks like another extension within the name does so no more."""
    return f"_{ending[1]}" if ending[1].strip().lower() in KNOWN else ending[0]


def _cut(stem: str, most_bytes: int) -> str:
    return stem.encode()[:most_bytes].decode(errors="ignore").rstrip(" .")
