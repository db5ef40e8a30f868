"""The real number of tokens of a text, by a tokenizer that needs no download."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence

_LONGEST = 100_000


def real_tokens(text: str) -> int:
    pieces = (text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST))
    return sum(len(_encoder()(piece)) for piece in pieces)


@functools.cache
def _encoder() -> Callable[[str], Sequence[int]]:
    """Imported on first use: the package reads several vocabularies when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it opens its own data in an old way
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base").encode
