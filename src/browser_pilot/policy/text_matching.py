"""The user's own regular expressions for sensitive labels: checked, so that none can be slow.

Labels come from pages, so matching must stay fast on hostile input: text is truncated to a fixed length, and a user's
pattern may have at most two repeats, no repeated group, and few choices.
"""

from __future__ import annotations

import re
import warnings

MAX_PATTERN_CHARACTERS = 200
MAX_PATTERNS = 50
_MAX_REPEATS = 2
# Ways to match, by the number of repeats: each multiplies the time for a label that almost matches.
_MAX_CHOICES = (10_000, 150, 4)


class UnsafePattern(ValueError):
    """The pattern could be very slow, or is not a regular expression; the message says which."""


def compile_pattern(text: str) -> re.Pattern[str]:
    """Compile a user's pattern; it matches anywhere and ignores case. Raises ``UnsafePattern``."""
    if not 0 < len(text) <= MAX_PATTERN_CHARACTERS:
        raise UnsafePattern(f"a pattern must have 1 to {MAX_PATTERN_CHARACTERS} characters")
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", text, flags=re.DOTALL)
    if re.search(r"\\|\(\?(?!:)", bare):
        raise UnsafePattern("look-around, flags and named groups are not supported; plain groups (?:…) are")
    if re.search(r"\\[1-9]", text):
        raise UnsafePattern("back-references are not supported")
    if re.search(r"\)[*+?{]", bare) or "{" in bare:
        raise UnsafePattern("repeated groups and {…} are not supported: they can be very slow")
    repeats = len(re.findall(r"[*+]", bare))
    if repeats > _MAX_REPEATS:
        raise UnsafePattern(f"at most {_MAX_REPEATS} of * and + are supported: more can be very slow")
    if _choices(bare) > _MAX_CHOICES[repeats]:
        raise UnsafePattern("it has too many optional parts and alternatives in groups: they can be very slow")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            return re.compile(text, re.IGNORECASE)
    except (re.error, FutureWarning) as error:
        raise UnsafePattern(f"not a regular expression: {error}") from None


def _choices(bare: str) -> int:
    """In how many ways the optional parts and the groups of a pattern can be combined, at most."""
    choices = 2 ** len(re.findall(r"(?<![(*+?])\?", bare))
    open_groups: list[int] = []
    for sign in bare:
        if sign == "(":
            open_groups.append(1)
        elif sign == "|" and open_groups:
            open_groups[-1] += 1
        elif sign == ")" and open_groups:
            choices *= open_groups.pop()
    return choices
