"""Removes secrets from everything that is stored, logged, returned to a client or shown.

One ``Redactor`` per hub. It never raises, takes time linear in its input, and is idempotent. Its rules are in
``sensitive_names``, ``key_value`` (names next to values), ``headers``, ``token_patterns``, ``payment_cards``,
``otp_and_pii`` and ``known_secrets`` (the user's own).

Hidden: values next to a sensitive name, card numbers, tokens of a known form, credentials in URLs, and every known
secret in any encoding. Not hidden: a bare hash, UUID or number without a sensitive name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote_plus

from browser_pilot.json_types import Json

from .headers import credential_kind, find_headers, is_credential_header, redact_header, sensitive_header_kind
from .key_value import find_key_values, is_secret_value
from .known_secrets import encodings_of, find_known_secrets
from .multipart import find_multipart_fields
from .otp_and_pii import find_emails, find_one_time_codes, find_phones
from .payment_cards import find_cards
from .placeholders import PLACEHOLDER, Span, extract_placeholders, outside_of, placeholder, replace_spans
from .sensitive_names import FieldHints, SensitiveName, match_sensitive_name, sensitive_field_kind
from .token_patterns import find_tokens, looks_random

# Hiding one secret can expose another at its edge. Only hostile text still changes after this many rounds.
MAX_ROUNDS = 6
MAX_DEPTH = 60
MIN_CARD_CHARACTERS = 12

# Between texts that are searched together: no rule matches across it.
_BREAK = "\n\x1e\n"
_AUTHORITY = re.compile(r"://([^\s/?#\"'<>\\]{1,2048}+)")
_MULTIPART_NAME = re.compile(r"name=\"?([^\"\r\n;]{1,200})", re.IGNORECASE)
_COOKIE_FIELDS = frozenset({"domain", "path", "expires", "httponly", "http_only", "samesite", "same_site", "secure"})
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Redactor:
    """Redacts text, URLs, headers, bodies and JSON."""

    def __init__(self, *, emails: bool = False, phones: bool = False) -> None:
        self._emails = emails
        self._phones = phones
        self._known: tuple[str, ...] = ()

    def set_options(self, *, emails: bool, phones: bool) -> None:
        """Whether to hide e-mail addresses and phone numbers from now on."""
        self._emails = emails
        self._phones = phones

    def add_secrets(self, values: Iterable[str]) -> None:
        """Hide these values too from now on, in all encodings."""
        forms = {form for value in values for form in encodings_of(value)}
        self._known = tuple(sorted({*self._known, *forms}, key=lambda form: (-len(form), form)))

    def text(self, text: str) -> str:
        """Any text: a page, a console line, an error message, a log line."""
        for _ in range(MAX_ROUNDS):
            redacted = self._round(text)
            if redacted == text:
                return text
            text = redacted
        return placeholder("text")

    def url(self, url: str) -> str:
        """A URL; its parameters are also matched by their decoded name and value."""
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
        by_name = redact_header(name, value)
        if by_name is not None:
            return by_name
        return self.url(value) if "://" in value[:12] else self.text(value)

    def body(self, body: str, *, content_type: str = "") -> str:
        """The body of a request or response: JSON, form, multipart or any other text."""
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
        """JSON data, such as a tool's arguments: by name where the name is sensitive, else as text."""
        texts, names = _texts(value)
        clean = self._clean(texts)
        if len(clean) == len(texts) and not any(
            name.lower() == "value" or is_credential_header(name) or match_sensitive_name(name) for name in names
        ):
            return value
        return self._data(value, None, "", 0, clean)

    def field(self, value: str, hints: FieldHints) -> str:
        """The value of a form field."""
        kind = sensitive_field_kind(hints)
        if kind and value and not PLACEHOLDER.fullmatch(value):
            return placeholder(kind)
        return self.text(value)

    def filename(self, name: str) -> str:
        """A file name; its placeholders contain no characters that a file system refuses."""
        return PLACEHOLDER.sub("redacted", self.text(name))

    def _clean(self, texts: Collection[str]) -> frozenset[str]:
        """The texts in which no rule matches. One search over all of them is much faster than one each."""
        joined = _BREAK.join(texts)
        starts = sorted(span.start for span in self._find(joined))
        clean: set[str] = set()
        start = at = 0
        for text in texts:
            end = start + len(text) + len(_BREAK)
            while at < len(starts) and starts[at] < start:
                at += 1
            if (at == len(starts) or starts[at] >= end) and "[redacted:" not in text and "://" not in text[:12]:
                clean.add(text)
            start = end
        return frozenset(clean)

    def _round(self, text: str) -> str:
        if "[redacted:" not in text:
            return replace_spans(text, list(self._find(text)))
        bare, placeholders = extract_placeholders(text)
        return replace_spans(
            bare, [*placeholders, *(piece for span in self._find(bare) for piece in outside_of(span, placeholders))]
        )

    def _find(self, text: str) -> Iterator[Span]:
        lowered = _lower(text)
        yield from find_known_secrets(text, self._known)
        yield from _find_userinfo(text)
        yield from find_tokens(text)
        yield from find_key_values(text, lowered)
        yield from find_headers(text, lowered)
        yield from find_multipart_fields(text, lowered)
        yield from find_cards(text)
        yield from find_one_time_codes(lowered)
        if self._emails:
            yield from find_emails(text)
        if self._phones:
            yield from find_phones(text)

    def _parameters(self, query: str) -> str:
        return "&".join(self._parameter(parameter) for parameter in query.split("&"))

    def _parameter(self, parameter: str) -> str:
        name, sign, value = parameter.partition("=")
        if not sign or not value or PLACEHOLDER.fullmatch(value):
            return parameter
        plain_name, plain_value = unquote_plus(name), unquote_plus(value)
        sensitive = match_sensitive_name(plain_name)
        if sensitive and is_secret_value(plain_value, sensitive, name=plain_name):
            return f"{name}={placeholder(sensitive.kind)}"
        if plain_value != value and "[redacted:" not in value:
            # A secret inside, such as a whole URL as a parameter: the other rules do not match the encoded text.
            redacted = self.url(plain_value) if "://" in plain_value[:12] else self.text(plain_value)
            if redacted != plain_value:
                found = PLACEHOLDER.search(redacted)
                return f"{name}={found[0] if found else placeholder('text')}"
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
                    sensitive = match_sensitive_name(named[1]) if named else None
                    value = content.rstrip("\r\n")
                    if sensitive and not PLACEHOLDER.fullmatch(value) and is_secret_value(value, sensitive):
                        parts[index] = f"{head}{blank}{placeholder(sensitive.kind)}{content[len(value) :]}"
                    break
        return boundary.join(parts)

    def _data(self, value: Json, sensitive: SensitiveName | None, name: str, depth: int, clean: frozenset[str]) -> Json:
        if depth > MAX_DEPTH:
            return placeholder("text")
        if isinstance(value, dict):
            return self._object(value, sensitive, depth, clean)
        if isinstance(value, list | tuple):
            return [self._data(item, sensitive, name, depth + 1, clean) for item in value]
        if value is None or isinstance(value, bool):
            return value
        text = value if isinstance(value, str) else json.dumps(value)
        if PLACEHOLDER.fullmatch(text):
            return value
        if sensitive and is_secret_value(text, sensitive, name=name):
            return placeholder(sensitive.kind)
        by_header = credential_kind(name, text)
        if by_header:
            return placeholder(by_header)
        if isinstance(value, str):
            if "://" in value[:12]:
                return self.url(value)
            return value if value in clean else self._string(value, depth)
        return value if len(text) < MIN_CARD_CHARACTERS or self.text(text) == text else placeholder("card")

    def _string(self, text: str, depth: int) -> str:
        """A text that may be JSON itself, such as the value of a script: then a match ends with its own string."""
        if text[:1] in ("{", "[", '"') and text[-1:] in ("}", "]", '"'):
            try:
                value: Json = json.loads(text)
            except (ValueError, RecursionError):
                return self.text(text)
            redacted = self._data(value, None, "", depth + 1, frozenset())
            return text if redacted == value else json.dumps(redacted, ensure_ascii=False)
        return self.text(text)

    def _object(
        self, value: dict[str, Json], sensitive: SensitiveName | None, depth: int, clean: frozenset[str]
    ) -> Json:
        redacted: dict[str, Json] = {}
        value_name = _match_name_value_pair(value)
        for name, item in value.items():
            by_name = value_name if value_name and name.lower() == "value" else match_sensitive_name(name)
            inherited = by_name or (sensitive if sensitive and sensitive.certain else None)
            shown = name if name in clean else self.text(name)
            redacted[shown] = self._data(item, inherited, name, depth + 1, clean)
        return redacted


def _texts(value: Json) -> tuple[dict[str, None], set[str]]:
    """All distinct texts in a value, including long numbers, and the names in its objects."""
    texts: dict[str, None] = {}
    names: set[str] = set()

    def gather(part: Json, depth: int) -> None:
        if isinstance(part, str):
            texts[part] = None
        elif depth > MAX_DEPTH:
            texts["[redacted:"] = None  # too deep: never counts as clean
        elif isinstance(part, list | tuple):
            for item in part:
                gather(item, depth + 1)
        elif isinstance(part, dict):
            names.update(part)
            for item in part.values():
                gather(item, depth + 1)
        elif part is not None and len(number := json.dumps(part)) >= MIN_CARD_CHARACTERS:
            texts[number] = None

    gather(value, 0)
    texts.update(dict.fromkeys(names))
    return texts, names


def _match_name_value_pair(value: Mapping[str, Json]) -> SensitiveName | None:
    """``{"name": "session_id", "value": "…"}``: the name is itself a value, as in lists of cookies and headers."""
    lowered = {name.lower(): item for name, item in value.items()}
    if "value" not in lowered:
        return None
    if "name" in lowered and _COOKIE_FIELDS & lowered.keys():
        return SensitiveName("cookie", certain=True)
    name = lowered.get("name", lowered.get("key"))
    if not isinstance(name, str):
        return None
    kind = sensitive_header_kind(name)
    return SensitiveName(kind, certain=True) if kind else match_sensitive_name(name)


def _find_userinfo(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _AUTHORITY.finditer(text):
        end = match[1].rfind("@")
        if end > 0 and (":" in match[1][:end] or looks_random(match[1][:end], min_characters=8)):
            yield Span(match.start(1), match.start(1) + end, "credentials")


def _lower(text: str) -> str:
    lowered = text.lower()
    # Some letters become two in lower case, which would shift the positions.
    return lowered if len(lowered) == len(text) else text.translate(_ASCII_LOWER)
