"""Secrets in text next to their name: ``password=…``, ``"token": "…"``, ``--secret …``, ``<input type=password>``.

Pure. In machine syntax (``name=value``, ``"name": "value"``) a certain name is enough. In prose (``Password:
required``) the value must look like a secret too, so that labels and documentation stay readable. Every search is
linear: a name is found by a short core (``pass``, ``token``), and everything around the core is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .placeholders import SecretKind, Span
from .sensitive_names import FieldHints, SensitiveName, match_sensitive_name, sensitive_field_kind
from .token_patterns import long_words, looks_random

MAX_VALUE_CHARACTERS = 4096
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"
# Almost every certain name contains one of these; the others are found when their value looks random.
_CORES = (
    "pass pwd secret token key credential sess sid srf jwt otp cvv cvc csc code pin card ccn signature senha contrase "
    "kennwort wachtwoord hasło heslo пароль şifre lösenord parola jelszó 密码 密碼 パスワード 비밀번호 口令"
).split()
QUOTE = r"(?:\\{0,4}[\"'`]|%22|&quot;|&#34;|&#39;|\\u0022)"
_TAIL = (
    rf"[\w\-.$\]]{{0,40}}{QUOTE}?\]?"
    rf"(?P<before>\s{{0,4}})(?P<sign>=>|:=|=(?![=~>])|:(?![:/=])|%3d|%3a)(?P<after>\s{{0,4}})(?P<quote>{QUOTE})?"
)
_PATTERNS = tuple((core, re.compile(re.escape(core) + _TAIL)) for core in _CORES)
_PLAIN_VALUE = re.compile(r"[^\s&;\"'<>`\\]+")
_ENCODED_VALUE = re.compile(r"(?:[^\s&;\"'<>`\\%]|%(?!2[26]|20|7[Dd]))+")
_PART = re.compile(r"(?<![A-Za-z0-9_+/.~%-])[A-Za-z0-9_+/.~%-]{16,}+={0,2}")
_NAME_BEFORE = re.compile(rf"(?<![\w.$-])([\w.$-]{{1,60}}){QUOTE}?\]?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}}{QUOTE}?$")
_LINE = re.compile(r"[^\r\n]*")

_FLAG = re.compile(
    r"--(?:[\w-]{0,30}-)?(?:password|passwd|passphrase|token|secret|api-?key|access-?key)\s{1,4}(?![-|&>])(\S{1,4096})"
)
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,400})?>([^<>]{1,4096})</")
_INPUT = re.compile(r"<input\b[^<>]{1,8192}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w-]{1,40})\s?=\s?(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")

_NOTHING = frozenset(
    "null none nil undefined true false yes no on off str string text required optional hidden".split()
)
_PLACEHOLDER = re.compile(r"[*•●·.?-]+|[xX_]+|\{\{[^{}]*\}\}|\$\{\w+\}|\$[A-Z_][A-Z0-9_]*|<[\w -]+>|%[sdv]|\{\w*\}|…")
# Without quotes: program code, or the start of a list or an object, instead of a value.
_CODE = re.compile(
    r"[{\[(].*|[\w.]*\(.*|(?:this|self|os|process|env|config|req|request|form|document|window|event|data|params|props|"
    r"settings|user|body|args|options|secrets|vars)\.[\w.\[\]]+[,;)]*"
)
_NUMERIC_HINTS = re.compile(r"\b(?:pin|tan|mfa|puk)\b", re.IGNORECASE)


def find_key_values(text: str, lowered: str) -> Iterator[Span]:
    """Spans of values in ``text``; ``lowered`` is the same text in lower case, character by character."""
    any_core = False
    for core, pattern in _PATTERNS:
        if core in lowered:
            any_core = True
            hidden_to = 0
            for match in pattern.finditer(lowered):
                # A match inside a value that is hidden already is skipped: this keeps the search linear.
                span = _value_span(text, lowered, match) if match.start() >= hidden_to else None
                if span:
                    hidden_to = span.end
                    yield span
    for start, end in long_words(text):
        yield from _find_hinted(text, start, end)
    if not any_core:
        return
    if "--" in lowered:
        for match in _FLAG.finditer(lowered):
            if not _is_no_secret(text[slice(*match.span(1))], ""):
                yield Span(*match.span(1), "secret")
    if "</" in text:
        yield from _find_elements(text)
    if "<input" in lowered:
        yield from _find_inputs(text)


def is_secret_value(value: str, sensitive: SensitiveName, *, name: str = "", written_by_machine: bool = True) -> bool:
    """Whether ``value``, next to a name that matched as ``sensitive``, must be hidden."""
    if _is_no_secret(value, name):
        return False
    if not sensitive.certain:
        return looks_random(value) or (
            sensitive.kind == "code" and value.isdigit() and 4 <= len(value) <= 8 and bool(_NUMERIC_HINTS.search(name))
        )
    if written_by_machine:
        return not (sensitive.kind in ("token", "key", "secret") and value.isdigit() and len(value) < 4)
    if sensitive.kind == "code":
        return value.isdigit() and 3 <= len(value) <= 10
    if sensitive.kind == "password":
        return _looks_like_password(value)
    return looks_random(value, min_characters=12)


def _value_span(text: str, lowered: str, match: re.Match[str]) -> Span | None:
    name_start = match.start()
    before = text[max(0, name_start - 60) : name_start]
    name_start -= len(before) - len(before.rstrip(_NAME_CHARACTERS))
    name = text[name_start : match.start("before")].strip("\"'`\\]&;")
    sensitive = _match_with_words_before(text, name_start, name)
    if sensitive is None:
        return None
    if text[max(0, name_start - 2) : name_start] == "{{":
        return None
    start, quote = match.end(), match["quote"]
    if quote:
        end = quoted_end(lowered, start, quote)
    else:
        value_pattern = _ENCODED_VALUE if match["sign"].startswith("%") else _PLAIN_VALUE
        value_match = value_pattern.match(text, start, start + MAX_VALUE_CHARACTERS)
        if value_match is None or _CODE.fullmatch(value_match[0]) or _PLACEHOLDER.fullmatch(value_match[0]):
            return None
        end = start + len(value_match[0].rstrip(",.)]}" if match["after"] else ",)]}"))
    value = text[start:end]
    by_machine = bool(quote) or not (match["after"] or match["before"])
    if not is_secret_value(value, sensitive, name=name, written_by_machine=by_machine):
        return None
    return Span(start, end, sensitive.kind)


def _find_hinted(text: str, start: int, end: int) -> Iterator[Span]:
    """A value that looks random after any sensitive name, in one long word or in quotes."""
    position = start
    for part in _PART.finditer(text, start, end):
        name = _NAME_BEFORE.search(text[max(0, part.start() - 80) : part.start()])
        sensitive = match_sensitive_name(name[1]) if name else None
        if sensitive and looks_random(part[0]) and part.start() >= position:
            yield Span(part.start(), part.end(), sensitive.kind)
            position = part.end()


def _match_with_words_before(text: str, name_start: int, name: str) -> SensitiveName | None:
    """``key`` is a hint, ``API key`` is certain: takes up to two words before the name into account."""
    found = match_sensitive_name(name)
    if found and found.certain:
        return found
    before = text[max(0, name_start - 40) : name_start]
    words = re.findall(r"[\w-]+", before.rsplit("\n", 1)[-1]) if before.endswith((" ", "-")) else []
    for count in (1, 2):
        if len(words) >= count:
            longer = match_sensitive_name(" ".join((*words[-count:], name)))
            if longer and longer.certain:
                return longer
    return found


def quoted_end(text: str, start: int, quote: str) -> int:
    """Where a quoted value ends: at its closing quote, else at the end of the line."""
    limit = min(len(text), start + MAX_VALUE_CHARACTERS)
    end = text.find(quote, start, limit)
    while end > start and len(quote) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(quote, end + 1, limit)
    if end >= 0:
        return end
    line = _LINE.match(text, start, limit)
    return line.end() if line else start


def _is_no_secret(value: str, name: str) -> bool:
    stripped = value.strip(" ,;.")
    lowered = stripped.lower()
    return not stripped or lowered in _NOTHING or lowered == name.lower() or bool(_PLACEHOLDER.fullmatch(stripped))


def _looks_like_password(value: str) -> bool:
    if len(value) < 6 or value.startswith(("http://", "https://", "/")):
        return False
    return any(not character.isalpha() for character in value.rstrip(".,:;!?)*")) or (
        any(map(str.isupper, value[1:])) and any(map(str.islower, value))
    )


def _find_elements(text: str) -> Iterator[Span]:
    for match in _ELEMENT.finditer(text):
        sensitive = match_sensitive_name(match[1]) if match[1].lower() != "code" else None
        if sensitive and is_secret_value(match[2], sensitive, name=match[1]):
            yield Span(*match.span(2), sensitive.kind)


def _find_inputs(text: str) -> Iterator[Span]:
    for tag in _INPUT.finditer(text):
        values: dict[str, str] = {}
        value_span: tuple[int, int] | None = None
        for attribute in _ATTRIBUTE.finditer(text, *tag.span()):
            group = attribute.lastindex or 1
            values[attribute[1].lower()] = attribute[group]
            if attribute[1].lower() == "value":
                value_span = attribute.span(group)
        kind: SecretKind | None = sensitive_field_kind(
            FieldHints(
                type=values.get("type", ""),
                autocomplete=values.get("autocomplete", ""),
                name=values.get("name", ""),
                id=values.get("id", ""),
                label=values.get("aria-label", ""),
            )
        )
        if kind and value_span and value_span[0] < value_span[1]:
            yield Span(*value_span, kind)
