"""Which addresses may be opened at all: http and https, and about:blank, as the browser would parse them. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ada_url import URL

from ..errors import DomainDenied, InvalidArgument

SCHEMES = ("http:", "https:")
# "example.com", "localhost:3000/x": what people type into an address bar. Not "javascript:1" or "mailto:a@b".
BARE_HOST = re.compile(r"(?:[^\s/?#:@]+\.[^\s/?#:@]+|localhost|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL)
LOOPBACK_HOST = re.compile(r"(?:[^/]*\.)?localhost(?:[:/?#]|$)|127\.\d+\.\d+\.\d+|\[::1\]")
ABOUT_BLANK = "about:blank"


@dataclass(frozen=True)
class Address:
    """A parsed address: the text that the browser is given, and the host that it will go to."""

    href: str
    host: str


def parse_address(text: str) -> Address:
    """The address the browser would open, or a refusal that says why."""
    text = text.strip()
    if text == ABOUT_BLANK:
        return Address(ABOUT_BLANK, "")
    if BARE_HOST.fullmatch(text):
        text = f"{'http' if LOOPBACK_HOST.match(text) else 'https'}://{text}"
    try:
        url = URL(text)
    except ValueError:
        raise InvalidArgument(
            f"{text[:200]!r} is not a URL.", suggestions=["Give a whole address, such as https://example.com/."]
        ) from None
    if url.protocol not in SCHEMES:
        raise DomainDenied(
            f"Only http and https pages may be opened (and {ABOUT_BLANK}), not {url.protocol!r} addresses.",
            suggestions=["Serve local files with `python3 -m http.server` and open http://localhost:8000/."],
        )
    return Address(url.href, url.hostname)
