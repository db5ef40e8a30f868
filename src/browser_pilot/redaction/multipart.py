"""Form fields in multipart bodies, inside any text: ``Content-Disposition: form-data; name="password"``.

Pure and linear. Line breaks may be escaped, as in JSON. A field ends at the next boundary, or with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .key_value import is_secret_value
from .placeholders import PLACEHOLDER, Span
from .sensitive_names import match_sensitive_name

_NEW_LINE = r"(?:\r?\n|(?:\\r)?\\n)"
_HEAD = re.compile(
    rf"form-data;\s{{0,4}}name=\\{{0,4}}[\"']?(?P<name>[^\"'\\\r\n;\x1e]{{1,200}}+)"
    rf"(?:(?!{_NEW_LINE}{_NEW_LINE})[^\x1e]){{0,400}}+{_NEW_LINE}{_NEW_LINE}",
    re.IGNORECASE,
)
# The record separator is between texts that are searched together.
_END = re.compile(rf"{_NEW_LINE}--|\n?\x1e")


def find_multipart_fields(text: str, lowered: str) -> Iterator[Span]:
    """Values of fields with a sensitive name in ``text``; ``lowered`` is the same text in lower case."""
    if "form-data;" not in lowered:
        return
    hidden_to = 0
    for head in _HEAD.finditer(text):
        sensitive = match_sensitive_name(head["name"]) if head.start() >= hidden_to else None
        if sensitive is None:
            continue
        end = _END.search(text, head.end())
        hidden_to = end.start() if end else len(text)
        value = text[head.end() : hidden_to]
        if not PLACEHOLDER.fullmatch(value) and is_secret_value(value, sensitive, name=head["name"]):
            yield Span(head.end(), hidden_to, sensitive.kind)
