"""Host patterns: ``example.com``, ``*.example.com``, ``localhost:3000``, ``*.example.com:8443``, ``*``.

``*.example.com`` covers example.com itself and every name below it. A pattern without a port covers every port. A
wildcard on a public suffix (``*.co.uk``, ``*.github.io``) is rejected, because it would cover unrelated sites; suffixes
that exist only on private networks (``*.localhost``, ``*.test``, ``*.internal`` …) are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from publicsuffixlist import PublicSuffixList

from .hosts import Site, is_address, parse_host

_PRIVATE_NETWORK_SUFFIXES = frozenset({"localhost", "test", "internal", "local", "lan", "home.arpa"})
_PORT = re.compile(r":([1-9]\d{0,4})$")
_MAX_PORT = 65_535


class PatternError(ValueError):
    """The text is not a valid pattern; the message says why, and what would be valid."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """``host`` without the ``*.``; "" for every host. ``port`` None covers all ports."""

    host: str
    wildcard: bool = False
    port: int | None = None

    def __str__(self) -> str:
        name = f"*.{self.host}" if self.wildcard and self.host else self.host or "*"
        return name if self.port is None else f"{name}:{self.port}"

    @property
    def covers_everything(self) -> bool:
        return not self.host

    def covers(self, site: Site) -> bool:
        if not site.host or (self.port is not None and self.port != site.port):
            return False
        if self.host in ("", site.host):
            return True
        return self.wildcard and site.host.endswith(f".{self.host}")


def parse_pattern(text: str) -> Pattern:
    """Raises ``PatternError`` with a message that says what is wrong."""
    name, port = _split_port(text.strip())
    if name == "*":
        return Pattern("", wildcard=True, port=port)
    wildcard = name.startswith("*.")
    host = parse_host(name.removeprefix("*."))
    if host is None or "*" in host:
        raise PatternError(
            f"{text!r} is not a host pattern: use a host (example.com), a host with a port (localhost:3000, "
            "[::1]:3000), a wildcard (*.example.com) or * for every host, without scheme and path"
        )
    if wildcard and is_address(host):
        raise PatternError(f"{text!r} has a wildcard on an IP address: name the address itself")
    if wildcard and is_public_suffix(host):
        raise PatternError(
            f"{text!r} would cover every site under the public suffix {host!r}: "
            f"name the domain, such as *.example.{host}"
        )
    return Pattern(host, wildcard=wildcard, port=port)


def covering_patterns(site: Site) -> Iterator[Pattern]:
    """All patterns that cover this site, most specific first."""
    names = [Pattern(site.host)]
    labels = [] if site.host.startswith("[") else site.host.split(".")
    names.extend(Pattern(".".join(labels[start:]), wildcard=True) for start in range(len(labels)))
    names.append(Pattern("", wildcard=True))
    for name in names:
        yield Pattern(name.host, name.wildcard, site.port)
        yield name


def any_covers(patterns: Iterable[Pattern], site: Site) -> bool:
    return any(pattern.covers(site) for pattern in patterns)


def is_private_network_name(host: str) -> bool:
    """Whether a name cannot exist on the internet: a single label, or under a suffix reserved for private networks."""
    return "." not in host or any(host.endswith(f".{suffix}") for suffix in _PRIVATE_NETWORK_SUFFIXES)


def is_public_suffix(host: str) -> bool:
    if host in _PRIVATE_NETWORK_SUFFIXES:
        return False
    # A single label that is not on the list may be, or become, a top-level domain.
    return "." not in host or _suffixes().is_public(host)


def registrable_domain(host: str) -> str:
    """``example.co.uk`` for ``a.b.example.co.uk``; the host itself for addresses and names without such a domain."""
    return host if is_address(host) else _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _split_port(text: str) -> tuple[str, int | None]:
    match = _PORT.search(text)
    if match is None or (":" in text[: match.start()] and not text[: match.start()].endswith("]")):
        return text, None
    if int(match[1]) > _MAX_PORT:
        raise PatternError(f"{text!r} has a port above {_MAX_PORT}")
    return text[: match.start()], int(match[1])
