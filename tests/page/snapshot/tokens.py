"""The real number of tokens of a text, by a tokenizer that needs no download."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it opens its own data in an old way
    import bpe_openai

_LONGEST = 100_000


def real_tokens(text: str) -> int:
    encoding = bpe_openai.get_encoding("o200k_base")
    pieces = (text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST))
    return sum(len(encoding.encode(piece)) for piece in pieces)
