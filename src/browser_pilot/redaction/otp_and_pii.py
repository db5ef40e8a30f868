"""One-time codes in sentences, and e-mail addresses and phone numbers when a setting hides them.

Pure and linear. ``Your verification code is 123456`` hides the digits; ``Your zip code is 12345`` does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .placeholders import Span

_DIGITS = r"(?:[a-z]{1,2}-)?\d(?:[ \-\u00a0]?\d){3,9}(?!\d)"
_CODE_WORDS = "code password passwort otp pin tan código codice код 验证码 驗證碼 認証コード 인증번호".split()
_CODE_FIRST = tuple(
    (
        word,
        re.compile(
            rf"{word}(?:\s{{0,2}}(?:is|are|est|es|lautet|ist|é|è|:|：|=|-|–|是|は|为))?[\s:：]{{0,3}}({_DIGITS})",
        ),
    )
    for word in _CODE_WORDS
)
_DIGITS_FIRST = re.compile(
    r"(\d(?<![\w.,].)(?:[ \-\u00a0]?\d){3,9})\s(?:is|ist|est|es)\s(?:[\w'’-]{1,20}\s){0,5}"
    r"(?:[\w-]{0,20}code|otp|pin|passcode|password|passwort|tan)\b"
)
_ABOUT_SIGNING_IN = re.compile(
    r"one[ -]?time|verif|security|secure|authent|\bauth\b|log-?in|sign[ -]?in|confirm|access|2fa|mfa|two-factor|otp|"
    r"sms|passcode|bestätigung|sicherheit|einmal|anmelde|sécurité|seguridad|segurança|sicurezza|\byour\b|\bihr\b|"
    r"\bdein\b|\bvotre\b|\bton\b|\btu\b|\bsu\b|\bseu\b|\bpin\b|\btan\b|验证码|驗證碼|認証コード|인증번호|код"
)
_ABOUT_OTHER_THINGS = re.compile(
    r"(?:zip|postal|post|area|country|error|status|exit|promo|promotional|discount|coupon|voucher|gift|product|colou?r|"
    r"source|bar|qr|dress|sort|branch|swift|airport|tax|dial|dialling|item|order|model|hs|naics|sic|course|class|"
    r"booking|reference|tracking|response|http|iso)[ -]?code\W*$"
)
_EMAIL = re.compile(r"[\w.%+!#$&'*/=?^`{|}~-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}")
_EMAIL_ENCODED = re.compile(r"[\w.+-]{1,64}+%40[A-Za-z0-9-]{1,63}+(?:\.[A-Za-z0-9-]{1,63}+){1,8}")
_PHONE = re.compile(
    r"(?<![\w.+/=-])(?:"
    r"(?:\+|00)\d{1,3}[\s().\-/\u00a0]{0,2}(?:\d[\s().\-/\u00a0]{0,2}){6,12}\d"
    r"|\(\d{2,5}\)[\s.\-]?\d{2,4}(?:[\s.\-]?\d{2,4}){1,3}"
    r"|\d{3}[.\-\s]\d{3}[.\-\s]\d{4}"
    r"|0\d{1,4}[\s/\-]\d{2,4}(?:[\s\-]?\d{2,4}){1,3}"
    r")(?![\w=])"
)


def find_one_time_codes(lowered: str) -> Iterator[Span]:
    """One-time codes, by their context. Takes the text in lower case."""
    any_word = False
    for word, pattern in _CODE_FIRST:
        if word not in lowered:
            continue
        any_word = True
        for match in pattern.finditer(lowered):
            before = lowered[max(0, match.start() - 60) : match.start(1)]
            if _ABOUT_SIGNING_IN.search(before) and not _ABOUT_OTHER_THINGS.search(_up_to_code(before)):
                yield Span(*match.span(1), "code")
    if any_word:
        for match in _DIGITS_FIRST.finditer(lowered):
            if _ABOUT_SIGNING_IN.search(match[0]) and not _ABOUT_OTHER_THINGS.search(match[0]):
                yield Span(*match.span(1), "code")


def _up_to_code(before: str) -> str:
    return before[: before.rfind("code") + 4]


def find_emails(text: str) -> Iterator[Span]:
    if "@" in text:
        yield from (Span(match.start(), match.end(), "email") for match in _EMAIL.finditer(text))
    if "%40" in text:
        yield from (Span(match.start(), match.end(), "email") for match in _EMAIL_ENCODED.finditer(text))


def find_phones(text: str) -> Iterator[Span]:
    for match in _PHONE.finditer(text):
        if 8 <= sum(map(str.isdigit, match[0])) <= 15:
            yield Span(match.start(), match.end(), "phone")
