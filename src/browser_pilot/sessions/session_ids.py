"""Names of sessions that nobody can guess: 73 random bits, in syllables.

Letters only, so that redaction does not take them for a secret of the page; and fewer tokens than digits.
"""

from __future__ import annotations

import secrets

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"
WORDS, SYLLABLES = 4, 3


def new_handle() -> str:
    return "-".join("".join(_syllable() for _ in range(SYLLABLES)) for _ in range(WORDS))


def _syllable() -> str:
    return secrets.choice(CONSONANTS) + secrets.choice(VOWELS)
