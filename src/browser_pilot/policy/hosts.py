"""Parses URLs as the browser does (WHATWG URL standard, IDNA), never with a regular expression.

Rejects text that the parser rejects, schemes other than http and https, and hosts with characters that no real name
has. Callers must pass ``Address.href``, the canonical form, to the browser, so that it opens the URL that was checked.
DNS resolution is not done here; the egress proxy checks resolved addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ada_url import URL, HostType

from browser_pilot.errors import DomainDenied, InvalidArgument

from .ip_networks import AddressClass, classify_address

Scheme = Literal["http", "https", "about"]

DEFAULT_PORTS: dict[str, int] = {"http": 80, "https": 443}
MAX_SHOWN_CHARACTERS = 200

# Input of an address bar: a name with a dot, localhost or an IPv6 address. Not "mailto:a@b".
_BARE_ADDRESS = re.compile(
    r"(?P<host>[^\s/?#:@\\]+\.[^\s/?#:@\\]+|localhost|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL
)
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_MAX_NAME_CHARACTERS = 253
_IPV4 = re.compile(r"\d+\.\d+\.\d+\.\d+")
# Pages without a host: they hold no site's data except what another site put there.
_BLANK_SCHEMES = frozenset({"about:", "data:", "chrome-error:"})
_METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)


@dataclass(frozen=True, slots=True)
class Site:
    """Scheme, host and port. The host is ASCII, lower case, without a final dot; IPv6 is in brackets."""

    scheme: Scheme
    host: str
    port: int

    def __str__(self) -> str:
        if not self.host:
            return "about:blank"
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self}" if self.host else "null"


@dataclass(frozen=True, slots=True)
class Address:
    """A URL in canonical form, ready for the browser, and its site."""

    href: str
    site: Site


BLANK = Site("about", "", 0)


def parse_address(url: str) -> Address:
    """Parse a URL given by an agent; accepts ``example.com`` and ``localhost:3000/x``, as an address bar does.

    Raises ``InvalidArgument`` for an invalid URL and ``DomainDenied`` for a scheme that is not a web page's.
    """
    bare = _BARE_ADDRESS.fullmatch(url.strip())
    if bare is not None:
        host = parse_host(bare["host"])
        is_local = host is not None and address_class(host) is AddressClass.LOOPBACK
        url = f"{'http' if is_local else 'https'}://{url.strip()}"
    try:
        parsed = URL(url)
    except ValueError:
        raise InvalidArgument(
            f"{_shown(url)} is not a URL that a browser can open.",
            suggestions=["Give the full URL, such as https://example.com/path."],
        ) from None
    if parsed.protocol == "about:" and parsed.pathname == "blank":
        return Address("about:blank", BLANK)
    if parsed.protocol not in ("http:", "https:"):
        raise DomainDenied(
            f"Only http, https and about:blank can be opened, not {_shown(parsed.protocol)}.",
            suggestions=["Serve local files with `python3 -m http.server` and open http://localhost:8000/."],
        )
    site = _site(parsed)
    if site is None:
        raise InvalidArgument(
            f"{_shown(url)} has an invalid host name.", suggestions=["Check the spelling of the host name."]
        )
    return Address(parsed.href, site)


def page_site(url: str) -> Site | None:
    """The site of an open page or frame; None for pages that agents may never use (chrome:, file: …)."""
    try:
        parsed = URL(url)
        if parsed.protocol == "blob:":
            # An object URL belongs to the origin that created it.
            parsed = URL(parsed.origin)
    except ValueError:
        return None
    if parsed.protocol in _BLANK_SCHEMES:
        return BLANK
    return _site(parsed) if parsed.protocol in ("http:", "https:") else None


def url_origin(url: str) -> str:
    """The origin of a URL as ``location.origin`` reports it in the page; "null" for a URL that has none."""
    try:
        return URL(url).origin
    except ValueError:
        return "null"


def parse_host(text: str) -> str | None:
    """A bare host (``EXAMPLE.com.``, ``0x7f.1``, ``[::1]``) in canonical form; None when it is invalid."""
    if not text or re.search(r"[\s/\\?#@]", text) or (":" in text and not text.startswith("[")):
        return None
    try:
        parsed = URL(f"http://{text}/")
    except ValueError:
        return None
    return None if parsed.port else _canonical_host(parsed)


def address_class(host: str) -> AddressClass | None:
    """Classify a host without resolving it; None for a name whose class depends on DNS."""
    if host == "localhost" or host.endswith(".localhost"):
        return AddressClass.LOOPBACK
    if host in _METADATA_NAMES:
        return AddressClass.METADATA
    return classify_address(host.strip("[]")) if is_address(host) else None


def is_address(host: str) -> bool:
    """Whether a canonical host is an IP address: in brackets, or four numbers, which is never a name."""
    return host.startswith("[") or _IPV4.fullmatch(host) is not None


def is_loopback(site: Site) -> bool:
    return address_class(site.host) is AddressClass.LOOPBACK


def _site(parsed: URL) -> Site | None:
    host = _canonical_host(parsed)
    if host is None:
        return None
    scheme: Scheme = "https" if parsed.protocol == "https:" else "http"
    return Site(scheme, host, int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme])


def _canonical_host(parsed: URL) -> str | None:
    host = parsed.hostname
    if parsed.host_type != HostType.DEFAULT:
        return host
    host = host.removesuffix(".")
    return host if len(host) <= _MAX_NAME_CHARACTERS and _NAME.fullmatch(host) else None


def _shown(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN_CHARACTERS else text[:MAX_SHOWN_CHARACTERS] + "…")
