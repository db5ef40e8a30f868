"""Keys and tokens that can be told by their shape alone, whatever stands around them.

Pure. Each shape has a literal that must be present before its pattern is tried, and every pattern is linear: bounded
repeats, or one start per run of characters. To be quick on a large page, patterns run only around words of at least
16 characters. A bare hash, a UUID or base64 without a telling prefix is not a secret by shape; next to a telling
name it is (see ``pairs``).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .marks import Kind, Span

SHORTEST_WORD = 16
# Not inside a longer word, though right after an escape such as %20 or \n.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"


@dataclass(frozen=True)
class Shape:
    literal: str
    pattern: re.Pattern[str]
    kind: Kind
    must_look_random: bool = False


# Prefixes that nothing else begins with.
_DISTINCT = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- "
    "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxe. xoxc- xoxd- dckr_pat_ dckr_oat_ shpat_ shpca_ shppa_ shpss_ "
    "lin_api_ lin_oauth_ figd_ dop_v1_ doo_v1_ dor_v1_ rubygems_ NRAK- NRJS- sntrys_ sntryu_ sq0atp- sq0csp- "
    "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ ATATT3 ATCTT3 pscale_tkn_ pscale_pw_ pscale_oauth_ dt0c01. dt0s16. "
    "shippo_live_ shippo_test_ lsv2_pt_ lsv2_sk_ sb_secret_ GOCSPX- AGE-SECRET-KEY-1 FLWSECK- FLWSECK_TEST- "
    "duffel_live_ duffel_test_ xkeysib- xsmtpsib- AstraCS: dp.pt. dp.st. dp.ct. dp.sa. amzn.mws. glsa_ nvapi- ya29. "
    "AIza PMAK- CFPAT- pypi-AgE"
)
# Prefixes that ordinary names have too (npm_config_…): what follows must look random.
_AMBIGUOUS = (
    "npm_ hf_ api_org_ ntn_ hvs. hvb. hvr. tskey- gsk_ r8_ pplx- xai- ATBB BBDC- nfp_ LTAI EZAK EZTK pat-na1- pat-eu1- "
    "pnu_ pul- sgp_ squ_ sqp_ sqa_ tfp_ ABSK ops_ tvly- sbp_ rpa_ jina_ rdme_ glc_ vcp_ AQVN xapp- sl. zpka_ fio-u-"
)
_SPECIFIC: dict[Kind, dict[str, str]] = {
    "key": {
        "AKIA": r"…[0-9A-Z]{16}",
        "ASIA": r"…[0-9A-Z]{16}",
        "ABIA": r"…[0-9A-Z]{16}",
        "ACCA": r"…[0-9A-Z]{16}",
        "AKID": r"…[A-Za-z0-9]{13,40}",
        "SG.": r"…[\w-]{16,32}\.[\w-]{16,64}",
        "sk-": r"(?<![A-Za-z0-9])…(?:(?:proj|svcacct|admin|None|ant|or|lf)-[\w-]{16,255}|[A-Za-z0-9]{32,128})",
        "key-": r"(?<![A-Za-z0-9])…[0-9a-zA-Z]{32}",
        "SK": r"(?<![A-Za-z0-9])…[0-9a-f]{32}(?![A-Za-z0-9])",
        "-us": r"(?<![A-Za-z0-9])[0-9a-f]{32}…\d{1,2}(?!\d)",
        "re_": r"(?<![A-Za-z0-9_])…[A-Za-z0-9]{8}_[A-Za-z0-9]{16,64}",
        "dapi": r"(?<![A-Za-z0-9])…[0-9a-f]{32}",
        "A3-": r"(?<![A-Za-z0-9])…[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}",
    },
    "token": {
        "eyJ": rf"{_START}…[A-Za-z0-9_-]{{8,}}+(?:(?:\.|%2[Ee])[A-Za-z0-9_-]{{4,}}+){{1,4}}+",
        "EAA": r"(?<![A-Za-z0-9])…[A-Za-z0-9_-]{58,512}",
        "1//0": r"(?<![A-Za-z0-9])…[\w-]{20,255}",
        ":APA91": r"(?<![\w-])[\w-]{11,64}+…[\w-]{20,255}",
        ":AA": r"(?<!\d)\d{8,12}+…[\w-]{32,36}",
        "pat": r"(?<![A-Za-z0-9])…[A-Za-z0-9]{14}\.[0-9a-f]{64}",
        ".": r"(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])",
        "hooks.slack.com/": r"…(?:services|workflows|triggers)/[\w/+-]{16,255}",
        "/api/webhooks/": r"…\d{10,24}/[\w-]{16,255}",
        "webhook.office.com/": r"…webhook[\w/@.-]{16,512}",
        ".atlasv1.": r"[A-Za-z0-9]{14}…[A-Za-z0-9_=-]{40,120}",
    },
}


def _prefixed(prefix: str, *, ambiguous: bool) -> Shape:
    start = _START if ambiguous else ""
    return Shape(prefix, re.compile(rf"{start}{re.escape(prefix)}[\w.~+/=|-]{{16,255}}"), "token", ambiguous)


SHAPES: tuple[Shape, ...] = (
    *(_prefixed(prefix, ambiguous=False) for prefix in _DISTINCT.split()),
    *(_prefixed(prefix, ambiguous=True) for prefix in _AMBIGUOUS.split()),
    *(
        Shape(literal, re.compile(rest.replace("…", re.escape(literal))), kind)
        for kind, table in _SPECIFIC.items()
        for literal, rest in table.items()
    ),
)

_NARROW = bytes(0x61 if chr(code).isascii() and (chr(code).isalnum() or code in b"_-") else 0x20 for code in range(256))
_WIDE = bytes(0x61 if code in b"./+=:~%|$" or _NARROW[code] == 0x61 else 0x20 for code in range(256))

_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[A-Za-z0-9+/=\s\\:,.;()]|%[0-9A-F]{2}|-(?!----))*+"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_PUTTY = re.compile(r"Private-Lines: \d{1,4}\s+[A-Za-z0-9+/=\s]++")
_BEARER = re.compile(r"\b([Bb]earer|BEARER)(?:\s|%20|\+){1,3}+([\w.~+/=-]{8,4096}+)")
_BASIC = re.compile(r"\b([Bb]asic|BASIC)(?:\s|%20){1,3}+([A-Za-z0-9+/_-]{6,4096}+={0,2})")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]{8,}")
_CAMEL = re.compile(r"[a-z]*(?:[A-Z][a-z]+)*[A-Z]{0,5}")


def find_shapes(text: str) -> Iterator[Span]:
    yield from _find_words(text)
    if "PRIVATE KEY" in text:
        yield from (Span(match.start(), match.end(), "key") for match in _PEM.finditer(text))
    if "Private-Lines" in text:
        yield from (Span(match.start(), match.end(), "key") for match in _PUTTY.finditer(text))
    if "earer" in text or "EARER" in text:
        for match in _BEARER.finditer(text):
            if looks_opaque(match[2], shortest=8):
                yield Span(*match.span(2), "token")
    if "asic" in text or "ASIC" in text:
        for match in _BASIC.finditer(text):
            if _is_basic_credentials(match[2]):
                yield Span(*match.span(2), "credentials")


def looks_opaque(value: str, *, shortest: int = 16) -> bool:
    """Whether ``value`` looks made by a machine: a long stretch of letters and digits mixed as no word or date is."""
    if len(value) < shortest or value.startswith(("http://", "https://", "$", "<", "%{")):
        return False
    for part in _ALPHANUMERIC.findall(value, 0, 512):
        digits = sum(map(str.isdigit, part))
        if digits == len(part):
            if digits >= max(shortest, 16):
                return True
        elif digits:
            if len(part) >= 8 and len(set(part)) >= 5:
                return True
        elif len(part) >= 12 and 3 <= sum(map(str.isupper, part)) <= len(part) - 3 and not _CAMEL.fullmatch(part):
            return True
    return False


def _is_basic_credentials(value: str) -> bool:
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value else None)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and all(byte >= 0x20 for byte in decoded)


def long_words(text: str) -> Iterator[tuple[int, int]]:
    """Where the words are that hold a stretch of at least 16 letters, digits, ``_`` or ``-``: fast, for large pages."""
    one_byte_each = text.encode("latin-1", "replace")
    narrow, wide = one_byte_each.translate(_NARROW), one_byte_each.translate(_WIDE)
    needle = b"a" * SHORTEST_WORD
    found = narrow.find(needle)
    while found >= 0:
        start = wide.rfind(b" ", 0, found) + 1
        end = wide.find(b" ", found)
        end = len(text) if end < 0 else end
        yield start, end
        found = narrow.find(needle, end)


def _find_words(text: str) -> Iterator[Span]:
    for start, end in long_words(text):
        word = text[start:end]
        for shape in SHAPES:
            if shape.literal in word:
                for match in shape.pattern.finditer(text, start, end):
                    if shape.must_look_random and not looks_opaque(match[0].removeprefix(shape.literal)):
                        continue
                    yield Span(match.start(), match.end(), shape.kind)
