"""Header redaction: which HTTP headers carry a secret, and header lines inside other text.

Pure and linear. ``redact_header`` decides by the name, as Playwright and CDP report it. ``find_headers`` finds
``Cookie: …`` and ``Authorization: …`` lines in logs, commands and error messages. A header without a sensitive name
is left to the redactor's rules for text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .key_value import MAX_VALUE_CHARACTERS, QUOTE, is_secret_value, quoted_end
from .placeholders import PLACEHOLDER, SecretKind, Span, placeholder
from .sensitive_names import SensitiveName, match_sensitive_name
from .token_patterns import looks_random

# Headers that carry credentials although their name has no sensitive word.
_CREDENTIAL_HEADERS: dict[str, SecretKind] = {
    **dict.fromkeys(("cookie", "set-cookie", "set-cookie2", "cookie2"), "cookie"),
    **dict.fromkeys(("authorization", "proxy-authorization", "x-forwarded-client-cert"), "credentials"),
}
# Sensitive in a header's name, although only a hint in other names.
_HEADER_WORDS: dict[str, SecretKind] = {
    "key": "key",
    "session": "token",
    "auth": "credentials",
    "pin": "code",
    "sig": "key",
}
_CREDENTIALS = SensitiveName("credentials", certain=True)
_HARMLESS_HEADERS = frozenset({"sec-websocket-key", "sec-websocket-accept", "idempotency-key", "surrogate-key"})

_HEADER = re.compile(
    rf"(?P<name>proxy-authorization|authorization|set-cookie2?|cookie2?){QUOTE}?\s{{0,3}}[:=]\s{{0,3}}(?P<quote>{QUOTE})?"
)
_COOKIE_PAIR = re.compile(r"[\w.!#$%&'*+^`|~-]{1,200}=")
_SCHEME = re.compile(
    r"(?:bearer|basic|digest|negotiate|ntlm|hoba|mutual|token|apikey|api-key|aws4-[\w-]{1,30}|ssws|hawk|oauth|"
    r"signature|scram-[\w-]{1,20}|dpop|sapisidhash|key|gnap|vapid|klaviyo-api-key|bot)\s+\S",
    re.IGNORECASE,
)
# Schemes with one token, which ends at white space, a quote, a tag or an escape; the text after it stays.
_ONE_TOKEN = re.compile(r"(?:bearer|basic|negotiate|ntlm|dpop|ssws|bot)\s+[^\s\"'`<>\\]+", re.IGNORECASE)
# The end of the line, also where line breaks are escaped, or of the HTML element.
_LINE = re.compile(r"(?:[^\r\n\\<]|\\(?![rn])|<(?!/))*")


@lru_cache(maxsize=4096)
def sensitive_header_kind(name: str) -> SecretKind | None:
    """The kind of secret that a header of this name carries, or None."""
    lowered = name.strip().lower()
    if lowered in _CREDENTIAL_HEADERS:
        return _CREDENTIAL_HEADERS[lowered]
    if lowered in _HARMLESS_HEADERS:
        return None
    found = match_sensitive_name(lowered)
    if found and found.certain:
        return found.kind
    for word in lowered.replace("_", "-").split("-"):
        if word in _HEADER_WORDS:
            return _HEADER_WORDS[word]
        if word.endswith("key") and word not in ("monkey", "hotkey"):
            return "key"
    return None


def redact_header(name: str, value: str) -> str | None:
    """The placeholder for the value of a header with a sensitive name; None when the name does not decide."""
    kind = sensitive_header_kind(name)
    return placeholder(kind) if kind and value.strip() and not PLACEHOLDER.fullmatch(value) else None


def find_headers(text: str, lowered: str) -> Iterator[Span]:
    """Values of cookie and authorization headers in ``text``; ``lowered`` is the same text in lower case."""
    if "cookie" not in lowered and "authorization" not in lowered:
        return
    hidden_to = 0
    for match in _HEADER.finditer(lowered):
        if match.start() < hidden_to:
            continue
        start, quote = match.end(), match["quote"]
        enclosing = text[match.start() - 1 : match.start()]
        if quote:
            end = quoted_end(lowered, start, quote)
        elif enclosing in ('"', "'", "`"):
            end = min(quoted_end(lowered, start, enclosing), _line_end(text, start))
        else:
            end = _line_end(text, start)
        kind = _value_kind(match["name"], text[start:end], quoted=bool(quote))
        if kind is not None:
            token = None if quote else _ONE_TOKEN.match(text, start, end)
            hidden_to = token.end() if token else end
            yield Span(start, hidden_to, kind)


def credential_kind(name: str, value: str) -> SecretKind | None:
    """The kind of secret in a value next to the name of a cookie or authorization header, as in JSON; None if none."""
    lowered = name.strip().lower()
    return _value_kind(lowered, value, quoted=True) if is_credential_header(lowered) else None


def is_credential_header(name: str) -> bool:
    return name.lower() in _CREDENTIAL_HEADERS


def _value_kind(name: str, value: str, *, quoted: bool) -> SecretKind | None:
    if "cookie" in name:
        return "cookie" if _COOKIE_PAIR.match(value) else None
    is_token = " " not in value.strip() and (
        is_secret_value(value, _CREDENTIALS) if quoted else looks_random(value, min_characters=8)
    )
    return "credentials" if is_token or _SCHEME.match(value) else None


def _line_end(text: str, start: int) -> int:
    line = _LINE.match(text, start, start + MAX_VALUE_CHARACTERS)
    return line.end() if line else start
