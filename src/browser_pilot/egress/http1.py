"""Just enough of HTTP/1.1 for a proxy between a browser and servers: request heads and request bodies. No I/O.

Responses are passed on as they come: a browser does not send its next request on a connection before the answer is
complete, so nobody here needs to know where an answer ends.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

from ..policy.hosts import BLANK, Site, page_site, parse_host

HEAD_END = b"\r\n\r\n"
HEAD_BYTES = 256 * 1024
CHUNK_LINE_BYTES = 4096

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")
# A stray CR, LF or NUL could make two heads of one further on.
_CONTROL = re.compile(r"[\r\n\0]")
_ORIGIN = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://[^/?#]*")
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]]+):(?P<port>\d{1,5})")
_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade", "host"}
)


# A page load repeats the same few origins; parsing each of them once is enough.
_site_of_origin = lru_cache(maxsize=1024)(page_site)


class BadRequest(ValueError):
    """What came is no request that a proxy can pass on; the message says why."""


class RequestHead:
    """A parsed head. ``get`` takes names in lower case and gives the first value."""

    __slots__ = ("_first", "headers", "method", "target")

    def __init__(self, method: str, target: str, headers: tuple[tuple[str, str], ...]) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        self._first = {name.lower(): value for name, value in reversed(headers)}

    def get(self, name: str) -> str | None:
        return self._first.get(name)

    @property
    def upgrades(self) -> bool:
        tokens = [token.strip().lower() for token in (self.get("connection") or "").split(",")]
        return "upgrade" in tokens and self.get("upgrade") is not None

    @property
    def has_body(self) -> bool:
        return self.get("transfer-encoding") is not None or (self.get("content-length") or "0") != "0"


def parse_head(data: bytes) -> RequestHead:
    """``data`` ends with the empty line. Raises ``BadRequest``."""
    lines = data.removesuffix(HEAD_END).decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not _METHOD.fullmatch(parts[0]) or parts[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise BadRequest("the request line is not one of HTTP/1.1")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        field = _FIELD.fullmatch(line)
        if field is None or _CONTROL.search(line):
            raise BadRequest("a header is malformed")
        headers.append((field[1], field[2].rstrip(" \t")))
    return RequestHead(parts[0], parts[1], tuple(headers))


def split_absolute(target: str) -> tuple[Site, str]:
    """``http://host:port/path`` as the site to go to and the path to ask it for."""
    match = _ORIGIN.match(target)
    if match is None or match[1].lower() != "http":
        raise BadRequest("a proxy needs the whole http address")
    site = _site_of_origin(match[0])
    if site is None or not site.host or "@" in match[0]:
        raise BadRequest("the address has no valid host")
    path = target[match.end() :].partition("#")[0]
    return site, path if path.startswith("/") else f"/{path}"


def asking_site(head: RequestHead) -> Site | None:
    """The site of the page that sends this; a page without one (``Origin: null``) counts as blank, not as unknown."""
    value = head.get("origin") or head.get("referer")
    if value is None:
        return None
    match = _ORIGIN.match(value)
    return (_site_of_origin(match[0]) if match else None) or BLANK


def split_authority(target: str) -> Site:
    """``host:port``, as CONNECT names it."""
    match = _AUTHORITY.fullmatch(target)
    host = parse_host(match["host"]) if match else None
    if match is None or host is None or not 0 < int(match["port"]) < 65_536:
        raise BadRequest("CONNECT needs host:port")
    return Site("https", host, int(match["port"]))


def rewritten(head: RequestHead, site: Site, path: str) -> bytes:
    """The head for the server: its own path and host, nothing that was meant for the proxy."""
    lines = [f"{head.method} {path} HTTP/1.1", f"Host: {site}"]
    if head.upgrades:
        lines += ["Connection: Upgrade", f"Upgrade: {head.get('upgrade')}"]
    lines += [f"{name}: {value}" for name, value in head.headers if name.lower() not in _HOP_BY_HOP]
    return "\r\n".join(lines).encode("latin-1") + HEAD_END


class _Chunk(Enum):
    SIZE = auto()
    DATA = auto()
    TRAILER = auto()


class Body:
    """Finds the end of a request's body as it streams by. ``take`` says how much of the data still belongs to it."""

    __slots__ = ("_chunked", "_line", "_remaining", "_state", "done")

    def __init__(self, head: RequestHead) -> None:
        encoding, length = head.get("transfer-encoding"), head.get("content-length")
        lengths = {value for name, value in head.headers if name.lower() == "content-length"}
        if encoding is not None and (length is not None or encoding.strip().lower() != "chunked"):
            raise BadRequest("the length of the body is ambiguous")
        if len(lengths) > 1 or (length is not None and not re.fullmatch(r"\d{1,18}", length)):
            raise BadRequest("the length of the body is not a number")
        self._chunked = encoding is not None
        self._remaining = int(length or 0)
        self._state = _Chunk.SIZE
        self._line = b""
        self.done = not self._chunked and self._remaining == 0

    def take(self, data: bytes) -> int:
        """The number of leading bytes of ``data`` that are part of the body. Raises ``BadRequest``."""
        if not self._chunked:
            taken = min(len(data), self._remaining)
            self._remaining -= taken
            self.done = self._remaining == 0
            return taken
        position = 0
        while position < len(data) and not self.done:
            if self._state is _Chunk.DATA:
                step = min(len(data) - position, self._remaining)
                self._remaining -= step
                position += step
                if self._remaining == 0:
                    self._state = _Chunk.SIZE
                continue
            end = data.find(b"\n", position)
            stop = len(data) if end < 0 else end + 1
            self._line += data[position:stop]
            position = stop
            if len(self._line) > CHUNK_LINE_BYTES:
                raise BadRequest("a chunk's size line is too long")
            if end >= 0:
                self._on_line(self._line.strip())
                self._line = b""
        return position

    def _on_line(self, line: bytes) -> None:
        if self._state is _Chunk.TRAILER:
            self.done = line == b""
            return
        size = line.partition(b";")[0].strip()
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", size):
            raise BadRequest("a chunk's size is not a number")
        # The data is followed by a line end of its own.
        self._remaining = int(size, 16) + 2
        self._state = _Chunk.DATA
        if self._remaining == 2:
            self._state = _Chunk.TRAILER
