"""Unguessable session ids: 73 random bits, in syllables.

Letters only, so that redaction does not mistake them for a secret of the page; and fewer tokens than digits.
"""

from __future__ import annotations

import secrets

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"
GROUPS, SYLLABLES = 4, 3


def new_session_id() -> str:
    return "-".join("".join(_syllable() for _ in range(SYLLABLES)) for _ in range(GROUPS))


def _syllable() -> str:
    return secrets.choice(CONSONANTS) + secrets.choice(VOWELS)
