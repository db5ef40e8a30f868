"""Redaction: what must not be seen is taken out before anything is stored, logged, answered or shown.

One ``Redactor`` per hub. It never raises, takes time linear in its input, and changes nothing that it has already
redacted. Its rules are in ``names`` (telling names), ``pairs`` (names next to values), ``shapes`` (keys and tokens),
``cards``, ``prose`` (one-time codes) and ``known`` (the user's own secrets).

What is hidden by rule: values next to a telling name, card numbers, keys and tokens of known shape, credentials in
URLs, and every known secret in any of its forms. What is not: a bare hash, UUID or number without a telling name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias
from urllib.parse import unquote_plus

from .cards import find_cards
from .known import find_known, forms_of
from .marks import MARK, Span, around, lift_marks, mark, replace_spans
from .names import FieldFacts, Telling, telling_field, telling_header, telling_name
from .pairs import find_pairs, is_secret_value
from .prose import find_codes, find_emails, find_phones
from .shapes import find_shapes, looks_opaque

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

# Hiding one secret can uncover the edge of another; a text that is still changing after this many rounds was made to.
MOST_ROUNDS = 6
DEEPEST = 60
SHORTEST_CARD = 12

# Between texts that are looked at together: no rule reaches across it.
_BREAK = "\n\x1e\n"
_AUTHORITY = re.compile(r"://([^\s/?#\"'<>\\]{1,2048}+)")
_MULTIPART_NAME = re.compile(r"name=\"?([^\"\r\n;]{1,200})", re.IGNORECASE)
_COOKIE_FIELDS = frozenset({"domain", "path", "expires", "httponly", "http_only", "samesite", "same_site", "secure"})
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Redactor:
    """Takes secrets out of text, URLs, headers, bodies and JSON."""

    def __init__(self, *, emails: bool = False, phones: bool = False) -> None:
        self._emails = emails
        self._phones = phones
        self._known: tuple[str, ...] = ()

    def hide(self, *, emails: bool, phones: bool) -> None:
        """From now on, hide these kinds as well, or no longer."""
        self._emails = emails
        self._phones = phones

    def know(self, values: Iterable[str]) -> None:
        """Hide these values too, in all their forms, from now on."""
        forms = {form for value in values for form in forms_of(value)}
        self._known = tuple(sorted({*self._known, *forms}, key=lambda form: (-len(form), form)))

    def text(self, text: str) -> str:
        """Any text: a page, a console line, an error message, a log line."""
        for _ in range(MOST_ROUNDS):
            redacted = self._round(text)
            if redacted == text:
                return text
            text = redacted
        return mark("text")

    def url(self, url: str) -> str:
        """A URL, with parameters also judged by their decoded name and value."""
        base, hash_sign, fragment = url.partition("#")
        base, question, query = base.partition("?")
        if question:
            query = self._parameters(query)
        if hash_sign:
            fragment = self._fragment(fragment)
        return self.text(f"{base}{question}{query}{hash_sign}{fragment}")

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {name: self.header(name, value) for name, value in headers.items()}

    def header(self, name: str, value: str) -> str:
        kind = telling_header(name)
        if kind and value.strip() and not MARK.fullmatch(value):
            return mark(kind)
        return self.url(value) if "://" in value[:12] else self.text(value)

    def body(self, body: str, *, content_type: str = "") -> str:
        """A request's or response's body: JSON, form, multipart or any other text."""
        content_type = content_type.lower()
        start = body[:1024].lstrip()[:1]
        if "json" in content_type or start in ("{", "["):
            try:
                return json.dumps(self.data(json.loads(body)), ensure_ascii=False, separators=(",", ":"))
            except (ValueError, RecursionError):
                return self.text(body)
        if "multipart/" in content_type or body.startswith("--"):
            return self.text(self._multipart(body))
        if "urlencoded" in content_type:
            return self.text(self._parameters(body))
        return self.text(body)

    def data(self, value: Json) -> Json:
        """JSON data, such as a tool's arguments: by name where a name tells, else by text."""
        texts, names = _texts(value)
        clean = self._clean(texts)
        if len(clean) == len(texts) and not any(name.lower() == "value" or telling_name(name) for name in names):
            return value
        return self._data(value, None, "", 0, clean)

    def field(self, value: str, facts: FieldFacts) -> str:
        """What stands in a form field."""
        kind = telling_field(facts)
        if kind and value and not MARK.fullmatch(value):
            return mark(kind)
        return self.text(value)

    def filename(self, name: str) -> str:
        """A file's name; its marks hold no signs that a file system refuses."""
        return MARK.sub("redacted", self.text(name))

    def _clean(self, texts: Collection[str]) -> frozenset[str]:
        """The texts in which nothing is found, looked for in all of them at once: that is much faster."""
        joined = _BREAK.join(texts)
        places = sorted(span.start for span in self._find(joined))
        clean: set[str] = set()
        start = at = 0
        for text in texts:
            end = start + len(text) + len(_BREAK)
            while at < len(places) and places[at] < start:
                at += 1
            if (at == len(places) or places[at] >= end) and "[redacted:" not in text and "://" not in text[:12]:
                clean.add(text)
            start = end
        return frozenset(clean)

    def _round(self, text: str) -> str:
        if "[redacted:" not in text:
            return replace_spans(text, list(self._find(text)))
        bare, marks = lift_marks(text)
        return replace_spans(bare, [*marks, *(piece for span in self._find(bare) for piece in around(span, marks))])

    def _find(self, text: str) -> Iterator[Span]:
        lowered = _lower(text)
        yield from find_known(text, self._known)
        yield from _find_userinfo(text)
        yield from find_shapes(text)
        yield from find_pairs(text, lowered)
        yield from find_cards(text)
        yield from find_codes(lowered)
        if self._emails:
            yield from find_emails(text)
        if self._phones:
            yield from find_phones(text)

    def _parameters(self, query: str) -> str:
        return "&".join(self._parameter(parameter) for parameter in query.split("&"))

    def _parameter(self, parameter: str) -> str:
        name, sign, value = parameter.partition("=")
        if not sign or not value or MARK.fullmatch(value):
            return parameter
        plain_name, plain_value = unquote_plus(name), unquote_plus(value)
        telling = telling_name(plain_name)
        if telling and is_secret_value(plain_value, telling, name=plain_name):
            return f"{name}={mark(telling.kind)}"
        if plain_value != value and "[redacted:" not in value:
            # A secret inside, such as a whole URL as a parameter: the encoded form hides it from the other rules.
            redacted = self.url(plain_value) if "://" in plain_value[:12] else self.text(plain_value)
            if redacted != plain_value:
                found = MARK.search(redacted)
                return f"{name}={found[0] if found else mark('text')}"
        return parameter

    def _fragment(self, fragment: str) -> str:
        path, question, query = fragment.partition("?")
        if question:
            return f"{path}?{self._parameters(query)}"
        return self._parameters(fragment) if "=" in fragment else fragment

    def _multipart(self, body: str) -> str:
        boundary = body.split("\n", 1)[0].strip()
        if len(boundary) < 3:
            return body
        parts = body.split(boundary)
        for index, part in enumerate(parts):
            for blank_line in ("\r\n\r\n", "\n\n"):
                head, blank, content = part.partition(blank_line)
                if blank:
                    named = _MULTIPART_NAME.search(head)
                    telling = telling_name(named[1]) if named else None
                    value = content.rstrip("\r\n")
                    if telling and not MARK.fullmatch(value) and is_secret_value(value, telling):
                        parts[index] = f"{head}{blank}{mark(telling.kind)}{content[len(value) :]}"
                    break
        return boundary.join(parts)

    def _data(self, value: Json, telling: Telling | None, name: str, depth: int, clean: frozenset[str]) -> Json:
        if depth > DEEPEST:
            return mark("text")
        if isinstance(value, dict):
            return self._object(value, telling, depth, clean)
        if isinstance(value, list | tuple):
            return [self._data(item, telling, name, depth + 1, clean) for item in value]
        if value is None or isinstance(value, bool):
            return value
        text = value if isinstance(value, str) else json.dumps(value)
        if MARK.fullmatch(text):
            return value
        if telling and is_secret_value(text, telling, name=name):
            return mark(telling.kind)
        if isinstance(value, str):
            if "://" in value[:12]:
                return self.url(value)
            return value if value in clean else self.text(value)
        return value if len(text) < SHORTEST_CARD or self.text(text) == text else mark("card")

    def _object(self, value: dict[str, Json], telling: Telling | None, depth: int, clean: frozenset[str]) -> Json:
        redacted: dict[str, Json] = {}
        about_value = _telling_pair(value)
        for name, item in value.items():
            by_name = about_value if about_value and name.lower() == "value" else telling_name(name)
            inherited = by_name or (telling if telling and telling.certain else None)
            shown = name if name in clean else self.text(name)
            redacted[shown] = self._data(item, inherited, name, depth + 1, clean)
        return redacted


def _texts(value: Json) -> tuple[dict[str, None], set[str]]:
    """All different texts in a value, long numbers included, and the names of its parts."""
    texts: dict[str, None] = {}
    names: set[str] = set()

    def gather(part: Json, depth: int) -> None:
        if isinstance(part, str):
            texts[part] = None
        elif depth > DEEPEST:
            texts["[redacted:"] = None  # too deep to be judged like this
        elif isinstance(part, list | tuple):
            for item in part:
                gather(item, depth + 1)
        elif isinstance(part, dict):
            names.update(part)
            for item in part.values():
                gather(item, depth + 1)
        elif part is not None and len(number := json.dumps(part)) >= SHORTEST_CARD:
            texts[number] = None

    gather(value, 0)
    texts.update(dict.fromkeys(names))
    return texts, names


def _telling_pair(value: Mapping[str, Json]) -> Telling | None:
    """``{"name": "session_id", "value": "…"}``: the name of the value is itself a value, as in cookies and headers."""
    lowered = {name.lower(): item for name, item in value.items()}
    if "value" not in lowered:
        return None
    if "name" in lowered and _COOKIE_FIELDS & lowered.keys():
        return Telling("cookie", certain=True)
    name = lowered.get("name", lowered.get("key"))
    if not isinstance(name, str):
        return None
    kind = telling_header(name)
    return Telling(kind, certain=True) if kind else telling_name(name)


def _find_userinfo(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _AUTHORITY.finditer(text):
        end = match[1].rfind("@")
        if end > 0 and (":" in match[1][:end] or looks_opaque(match[1][:end], shortest=8)):
            yield Span(match.start(1), match.start(1) + end, "credentials")


def _lower(text: str) -> str:
    lowered = text.lower()
    # Some letters become two in lower case; then the places would no longer be the same.
    return lowered if len(lowered) == len(text) else text.translate(_ASCII_LOWER)
