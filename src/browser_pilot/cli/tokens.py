"""About how many tokens a text is. Pure.

Cuts the text as the o200k_base tokenizer would before it merges, and counts a long piece as several tokens. On tool
lists and English text it is within a twentieth of the real count, on TOON about a seventh below it.
"""

from __future__ import annotations

import re

PIECE = re.compile(r"[^\r\n\w]?[^\W\d_]+|\d{1,3}| ?[^\s\w]+[\r\n/]*|\s*[\r\n]+|\s+|_+")
BYTES_PER_TOKEN = 8


def about_tokens(text: str) -> int:
    return sum(-(-len(piece.encode()) // BYTES_PER_TOKEN) for piece in PIECE.findall(text))
