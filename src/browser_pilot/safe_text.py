"""Text from pages, guests and clients, made safe to pass on: well-formed, without hidden characters, of limited length.

Well-formed: an unpaired surrogate, which UTF-8 and so JSON-RPC cannot carry, becomes U+FFFD (JavaScript's
``toWellFormed``). Hidden characters can instruct a model, or reorder text, unseen by a person: Unicode tag characters,
bidirectional controls, and variation selectors after another one. Emoji keep their joiners and their one selector;
only the flags that are spelled with tag characters (England, Scotland, Wales) become a plain black flag.

Pure. Linear in the length of the text; plain ASCII costs nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

_TAGS = "\U000e0000-\U000e007f"
_BIDI_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTOR = re.compile(f"[{_SELECTORS}]")
# One selector alone stays, so only runs need a look; what is removed must not make two selectors neighbours.
_HIDDEN = re.compile(f"[{_TAGS}{_BIDI_CONTROLS}{_SELECTORS}]{{2,}}|[{_TAGS}{_BIDI_CONTROLS}]")

_LINE_BREAK = re.compile("[\\r\\n\\0]")

# Most texts have no such character. A set within one plane is searched more than twice as fast as a mixed one.
_SUSPECT = re.compile(
    "[\u061c\u180b-\u180f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f]|[\U000e0000-\U000e01ef]"
)


def well_formed(text: str) -> str:
    """The text with U+FFFD for each unpaired surrogate; two that belong together become their character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def sanitize(text: str) -> str:
    """The text, well-formed and without hidden characters."""
    if text.isascii():
        return text
    text = well_formed(text)
    return text if _SUSPECT.search(text) is None else _HIDDEN.sub(_first_selector, text)


def cut(text: str, max_characters: int) -> str:
    """The text, or its beginning with "…" at the end: never longer than ``max_characters``."""
    return text if len(text) <= max_characters else f"{text[: max_characters - 1]}…"


def one_line(text: str) -> str:
    """The text; raises ``ValueError`` if it has a line break or NUL, which could add a header or end an argument."""
    if _LINE_BREAK.search(text):
        raise ValueError("line breaks and NUL are not allowed")
    return text


def well_formed_data(value: Any) -> Any:
    """JSON data whose texts and names are well-formed."""
    return _each_text(value, well_formed)


def sanitize_data(value: Any) -> Any:
    """JSON data whose texts and names are well-formed and without hidden characters."""
    return _each_text(value, sanitize)


def parse_json(text: str | bytes) -> Any:
    """``json.loads`` with well-formed texts: JSON can escape an unpaired surrogate."""
    if isinstance(text, bytes):
        return well_formed_data(json.loads(text))
    value = json.loads(well_formed(text))
    return well_formed_data(value) if "\\u" in text else value


def _first_selector(run: re.Match[str]) -> str:
    selector = _SELECTOR.search(run[0])
    return selector[0] if selector else ""


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {change(name) if isinstance(name, str) else name: _each_text(item, change) for name, item in items}
    if isinstance(value, list | tuple):
        return [_each_text(item, change) for item in cast("list[Any]", value)]
    return value
