"""Secrets in text that stand next to their name: ``password=…``, ``"token": "…"``, ``Cookie: …``, ``--secret …``.

Pure. How sure the name must be depends on how the pair is written. In the manner of machines (``name=value``,
``"name": "value"``) a certain name is enough. In the manner of people (``Password: required``) the value must look
like a secret too, so that labels and documentation stay readable. Every search is linear: a name is found by a short
core (``pass``, ``token``), and everything around the core is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .marks import Kind, Span
from .names import FieldFacts, Telling, telling_field, telling_name
from .shapes import long_words, looks_opaque

LONGEST_VALUE = 4096
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"
# Almost every certain name holds one of these; the rest is found where its value looks like a secret.
_CORES = (
    "pass pwd secret token key credential sess sid srf jwt otp cvv cvc csc code pin card ccn signature senha contrase "
    "kennwort wachtwoord hasło heslo пароль şifre lösenord parola jelszó 密码 密碼 パスワード 비밀번호 口令"
).split()
_QUOTE = r"(?:\\{0,4}[\"'`]|%22|&quot;|&#34;|&#39;|\\u0022)"
_TAIL = (
    rf"[\w\-.$\]]{{0,40}}{_QUOTE}?\]?"
    rf"(?P<before>\s{{0,4}})(?P<sign>=>|:=|=(?![=~>])|:(?![:/=])|%3d|%3a)(?P<after>\s{{0,4}})(?P<quote>{_QUOTE})?"
)
_PATTERNS = tuple((core, re.compile(re.escape(core) + _TAIL)) for core in _CORES)
_PLAIN_VALUE = re.compile(r"[^\s&;\"'<>`\\]+")
_ENCODED_VALUE = re.compile(r"(?:[^\s&;\"'<>`\\%]|%(?!2[26]|20|7[Dd]))+")
_PART = re.compile(r"(?<![A-Za-z0-9_+/.~%-])[A-Za-z0-9_+/.~%-]{16,}+={0,2}")
_NAME_BEFORE = re.compile(rf"(?<![\w.$-])([\w.$-]{{1,60}}){_QUOTE}?\]?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}}{_QUOTE}?$")
_LINE = re.compile(r"[^\r\n]*")

_HEADER = re.compile(
    rf"(?P<name>proxy-authorization|authorization|set-cookie2?|cookie2?){_QUOTE}?\s{{0,3}}[:=]\s{{0,3}}(?P<quote>{_QUOTE})?"
)
_COOKIE_PAIR = re.compile(r"[\w.!#$%&'*+^`|~-]{1,200}=")
_SCHEME = re.compile(
    r"(?:bearer|basic|digest|negotiate|ntlm|hoba|mutual|token|apikey|api-key|aws4-[\w-]{1,30}|ssws|hawk|oauth|"
    r"signature|scram-[\w-]{1,20}|dpop|sapisidhash|key|gnap|vapid|klaviyo-api-key|bot)\s+[^\s].{2}",
    re.IGNORECASE,
)
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
# Without quotes: program text and the beginning of a list or an object instead of a value.
_CODE = re.compile(
    r"[{\[(].*|[\w.]*\(.*|(?:this|self|os|process|env|config|req|request|form|document|window|event|data|params|props|"
    r"settings|user|body|args|options|secrets|vars)\.[\w.\[\]]+[,;)]*"
)
_NUMERIC_HINTS = re.compile(r"\b(?:pin|tan|mfa|puk)\b", re.IGNORECASE)


def find_pairs(text: str, lowered: str) -> Iterator[Span]:
    """Spans of values in ``text``; ``lowered`` is the same text in lower case, character by character."""
    any_core = False
    for core, pattern in _PATTERNS:
        if core in lowered:
            any_core = True
            hidden_to = 0
            for match in pattern.finditer(lowered):
                # What stands inside a value that is hidden anyway is not looked at again: this keeps it linear.
                span = _value_span(text, lowered, match) if match.start() >= hidden_to else None
                if span:
                    hidden_to = span.end
                    yield span
    for start, end in long_words(text):
        yield from _find_hinted(text, start, end)
    if "cookie" in lowered or "authorization" in lowered:
        yield from _find_headers(text, lowered)
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


def is_secret_value(value: str, telling: Telling, *, name: str = "", written_by_machine: bool = True) -> bool:
    """Whether ``value``, next to a name that tells ``telling``, is to be hidden."""
    if _is_no_secret(value, name):
        return False
    if not telling.certain:
        return looks_opaque(value) or (
            telling.kind == "code" and value.isdigit() and 4 <= len(value) <= 8 and bool(_NUMERIC_HINTS.search(name))
        )
    if written_by_machine:
        return not (telling.kind in ("token", "key", "secret") and value.isdigit() and len(value) < 4)
    if telling.kind == "code":
        return value.isdigit() and 3 <= len(value) <= 10
    if telling.kind == "password":
        return _looks_like_password(value)
    return looks_opaque(value, shortest=12)


def _value_span(text: str, lowered: str, match: re.Match[str]) -> Span | None:
    name_start = match.start()
    before = text[max(0, name_start - 60) : name_start]
    name_start -= len(before) - len(before.rstrip(_NAME_CHARACTERS))
    name = text[name_start : match.start("before")].strip("\"'`\\]&;")
    telling = _telling_with_words_before(text, name_start, name)
    if telling is None:
        return None
    if text[max(0, name_start - 2) : name_start] == "{{":
        return None
    start, quote = match.end(), match["quote"]
    if quote:
        end = _closing_quote(lowered, start, quote)
    else:
        value_pattern = _ENCODED_VALUE if match["sign"].startswith("%") else _PLAIN_VALUE
        value_match = value_pattern.match(text, start, start + LONGEST_VALUE)
        if value_match is None or _CODE.fullmatch(value_match[0]) or _PLACEHOLDER.fullmatch(value_match[0]):
            return None
        end = start + len(value_match[0].rstrip(",.)]}" if match["after"] else ",)]}"))
    value = text[start:end]
    by_machine = bool(quote) or not (match["after"] or match["before"])
    if not is_secret_value(value, telling, name=name, written_by_machine=by_machine):
        return None
    return Span(start, end, telling.kind)


def _find_hinted(text: str, start: int, end: int) -> Iterator[Span]:
    """A value that looks like a secret, with any telling name before it, in one long word or in quotes."""
    position = start
    for part in _PART.finditer(text, start, end):
        name = _NAME_BEFORE.search(text[max(0, part.start() - 80) : part.start()])
        telling = telling_name(name[1]) if name else None
        if telling and looks_opaque(part[0]) and part.start() >= position:
            yield Span(part.start(), part.end(), telling.kind)
            position = part.end()


def _telling_with_words_before(text: str, name_start: int, name: str) -> Telling | None:
    """``key`` is a hint, ``API key`` is certain: look at up to two words before the name."""
    found = telling_name(name)
    if found and found.certain:
        return found
    before = text[max(0, name_start - 40) : name_start]
    words = re.findall(r"[\w-]+", before.rsplit("\n", 1)[-1]) if before.endswith((" ", "-")) else []
    for count in (1, 2):
        if len(words) >= count:
            longer = telling_name(" ".join((*words[-count:], name)))
            if longer and longer.certain:
                return longer
    return found


def _closing_quote(text: str, start: int, quote: str) -> int:
    limit = min(len(text), start + LONGEST_VALUE)
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


def _find_headers(text: str, lowered: str) -> Iterator[Span]:
    hidden_to = 0
    for match in _HEADER.finditer(lowered):
        if match.start() < hidden_to:
            continue
        start, quote = match.end(), match["quote"]
        if quote:
            end = _closing_quote(lowered, start, quote)
        else:
            line = _LINE.match(text, start, start + LONGEST_VALUE)
            end = line.end() if line else start
        value = text[start:end]
        if match["name"].endswith(("cookie", "cookie2")):
            if _COOKIE_PAIR.match(value):
                hidden_to = end
                yield Span(start, end, "cookie")
        elif _SCHEME.match(value) or (" " not in value.strip() and looks_opaque(value, shortest=8)):
            hidden_to = end
            yield Span(start, end, "credentials")


def _find_elements(text: str) -> Iterator[Span]:
    for match in _ELEMENT.finditer(text):
        telling = telling_name(match[1]) if match[1].lower() != "code" else None
        if telling and is_secret_value(match[2], telling, name=match[1]):
            yield Span(*match.span(2), telling.kind)


def _find_inputs(text: str) -> Iterator[Span]:
    for tag in _INPUT.finditer(text):
        values: dict[str, str] = {}
        value_span: tuple[int, int] | None = None
        for attribute in _ATTRIBUTE.finditer(text, *tag.span()):
            group = attribute.lastindex or 1
            values[attribute[1].lower()] = attribute[group]
            if attribute[1].lower() == "value":
                value_span = attribute.span(group)
        kind: Kind | None = telling_field(
            FieldFacts(
                type=values.get("type", ""),
                autocomplete=values.get("autocomplete", ""),
                name=values.get("name", ""),
                id=values.get("id", ""),
                label=values.get("aria-label", ""),
            )
        )
        if kind and value_span and value_span[0] < value_span[1]:
            yield Span(*value_span, kind)
