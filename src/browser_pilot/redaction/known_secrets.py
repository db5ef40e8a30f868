"""Finds the values of stored secrets, in every encoding in which they can appear.

Pure. A value typed on a page returns in URLs (percent and form encoding), JSON (escaped), HTML (entities), headers
(base64, alone or inside a longer text) and logs (hexadecimal). Values shorter than four characters are not searched
for: they would match in most texts.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

from .placeholders import Span

MIN_SECRET_CHARACTERS = 4
# Inside longer base64, only the middle does not depend on the neighbouring bytes. A shorter one would match by chance.
MIN_BASE64_CHARACTERS = 8


def encodings_of(value: str) -> frozenset[str]:
    """``value`` itself and its encodings; empty for a value too short to search for."""
    if len(value) < MIN_SECRET_CHARACTERS:
        return frozenset()
    raw = value.encode("utf-8", "surrogatepass")
    percent = quote(raw, safe="")
    forms = {
        value,
        value.strip(),
        percent,
        percent.lower(),
        _lower_escapes(percent),
        _lower_escapes(quote_plus(raw)),
        _lower_escapes(quote(raw)),
        quote_plus(raw),
        quote(raw),
        quote(raw, safe="!'()*~"),
        _lower_escapes(quote(raw, safe="!'()*~")),
        quote(percent, safe=""),
        "".join(f"%{byte:02X}" for byte in raw),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(value)[1:-1])[1:-1],
        json.dumps(value)[1:-1].replace("/", "\\/"),
        html.escape(value),
        html.escape(value, quote=False),
        html.escape(value).replace("&#x27;", "&#39;"),
        raw.hex(),
        raw.hex().upper(),
        *_base64_forms(raw),
    }
    return frozenset(form for form in forms if len(form) >= MIN_SECRET_CHARACTERS)


def find_known_secrets(text: str, forms: Iterable[str]) -> Iterator[Span]:
    for form in forms:
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            yield Span(start, end, "secret")
            start = text.find(form, end)


def _lower_escapes(percent: str) -> str:
    parts = percent.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def _base64_forms(raw: bytes) -> Iterator[str]:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(raw).decode()
        for before in range(3):
            # Skip the characters that contain bits of a neighbouring byte.
            padded = bytes(before) + raw
            first = -(-before * 8 // 6)
            last = len(padded) * 8 // 6
            middle = encode(padded).decode()[first:last]
            if len(middle) >= MIN_BASE64_CHARACTERS:
                yield middle
