"""The part of HTTP/1.1 that a proxy between a browser and servers needs: request heads and request bodies. No I/O.

Responses are passed on unread: a browser does not send its next request on a connection before the response is
complete, so their end need not be known.

The body's bytes are passed on as they came. So every head or chunk that a server could read in another way than we do
is refused (request smuggling, RFC 9112 section 11.2); ``tests/egress/test_http1_differential.py`` compares with h11.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

from browser_pilot.policy.hosts import BLANK, Site, page_site, parse_host

from .proxy_handshake import basic_credentials

HEAD_END = b"\r\n\r\n"
MAX_HEAD_BYTES = 256 * 1024
MAX_CHUNK_LINE_BYTES = 4096

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE = re.compile(rf"({_NAME}) ([\x21-\x7e]+) HTTP/1\.[01]")
# A bare CR or LF or a NUL could end a line or a head for a server; some take VT and FF for white space.
_TEXT = r"[^\0\n\v\f\r]*"
_FIELD = re.compile(rf"({_NAME}):[ \t]*({_TEXT})")
_CHUNK_SIZE = re.compile(rf"([0-9A-Fa-f]{{1,15}})(?:;{_TEXT})?[ \t]*")
_CONTENT_LENGTH = re.compile(r"[0-9]{1,18}")
_ORIGIN = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://[^/?#]*")
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]]+):(?P<port>\d{1,5})")
_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade", "host"}
)
_NEVER_IN_TRAILERS = frozenset({"content-length", "transfer-encoding", "host"})


# A page load repeats the same few origins; parsing each of them once is enough.
_site_of_origin = lru_cache(maxsize=1024)(page_site)


class BadRequest(ValueError):
    """Not a request that the proxy can forward; the message says why."""


class RequestHead:
    """A parsed head. ``get`` takes a name in lower case and returns the first value."""

    __slots__ = ("_first", "headers", "method", "target")

    def __init__(self, method: str, target: str, headers: tuple[tuple[str, str], ...]) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        self._first = {name.lower(): value for name, value in reversed(headers)}

    def get(self, name: str) -> str | None:
        return self._first.get(name)

    def get_all(self, name: str) -> list[str]:
        return [value for one, value in self.headers if one.lower() == name]

    @property
    def is_upgrade(self) -> bool:
        tokens = [token.strip(" \t").lower() for token in (self.get("connection") or "").split(",")]
        return "upgrade" in tokens and self.get("upgrade") is not None

    @property
    def has_body(self) -> bool:
        return self.get("transfer-encoding") is not None or (self.get("content-length") or "0") != "0"


def parse_head(data: bytes) -> RequestHead:
    """``data`` includes the empty line at its end. Raises ``BadRequest``."""
    lines = data.removesuffix(HEAD_END).decode("latin-1").split("\r\n")
    request_line = _REQUEST_LINE.fullmatch(lines[0])
    if request_line is None:
        raise BadRequest("the request line is not one of HTTP/1.1")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise BadRequest("a header is malformed")
        headers.append((field[1], field[2].rstrip(" \t")))
    return RequestHead(request_line[1], request_line[2], tuple(headers))


def parse_absolute_target(target: str) -> tuple[Site, str]:
    """The site and the path of ``http://host:port/path`` (absolute form). Raises ``BadRequest``."""
    match = _ORIGIN.match(target)
    if match is None or match[1].lower() != "http":
        raise BadRequest("the target is not an absolute http URL")
    site = _site_of_origin(match[0])
    if site is None or not site.host or "@" in match[0]:
        raise BadRequest("the target has no valid host")
    path = target[match.end() :].partition("#")[0]
    return site, path if path.startswith("/") else f"/{path}"


def initiator_site(head: RequestHead) -> Site | None:
    """The site of the page that sent the request, None if unknown; ``Origin: null`` is a blank page's."""
    value = head.get("origin") or head.get("referer")
    if value is None:
        return None
    match = _ORIGIN.match(value)
    return (_site_of_origin(match[0]) if match else None) or BLANK


def parse_authority_target(target: str) -> Site:
    """The site of ``host:port`` (authority form, for CONNECT). Raises ``BadRequest``."""
    match = _AUTHORITY.fullmatch(target)
    host = parse_host(match["host"]) if match else None
    if match is None or host is None or not 0 < int(match["port"]) < 65_536:
        raise BadRequest("CONNECT needs host:port")
    return Site("https", host, int(match["port"]))


def upstream_head(head: RequestHead, site: Site, path: str, *, credentials: str | None = None) -> bytes:
    """The head for the server: with its path and host, without hop-by-hop headers.

    With ``credentials``, which may be empty, it is for a proxy: with the absolute URL.
    """
    target = path if credentials is None else f"http://{site}{path}"
    lines = [f"{head.method} {target} HTTP/1.1", f"Host: {site}"]
    if credentials:
        lines.append(f"Proxy-Authorization: {basic_credentials(credentials)}")
    if head.is_upgrade:
        lines += ["Connection: Upgrade", f"Upgrade: {head.get('upgrade')}"]
    lines += [f"{name}: {value}" for name, value in head.headers if name.lower() not in _HOP_BY_HOP]
    return "\r\n".join(lines).encode("latin-1") + HEAD_END


class _Chunk(Enum):
    """What comes next in a chunked body."""

    SIZE = auto()
    DATA = auto()
    DATA_END = auto()
    TRAILER = auto()


class RequestBody:
    """Finds the end of a request's body in the data that is forwarded."""

    __slots__ = ("_chunked", "_line", "_remaining", "_state", "done")

    def __init__(self, head: RequestHead) -> None:
        encodings, lengths = head.get_all("transfer-encoding"), head.get_all("content-length")
        if encodings and (lengths or [encoding.lower() for encoding in encodings] != ["chunked"]):
            raise BadRequest("the length of the body is ambiguous")
        if len(lengths) > 1 or (lengths and not _CONTENT_LENGTH.fullmatch(lengths[0])):
            raise BadRequest("the length of the body is not a number")
        self._chunked = bool(encodings)
        self._remaining = int(lengths[0]) if lengths else 0
        self._state = _Chunk.SIZE
        self._line = b""
        self.done = not self._chunked and self._remaining == 0

    def consume(self, data: bytes) -> int:
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
                    self._state = _Chunk.DATA_END
                continue
            end = data.find(b"\n", position)
            stop = len(data) if end < 0 else end + 1
            self._line += data[position:stop]
            position = stop
            if len(self._line) > MAX_CHUNK_LINE_BYTES:
                raise BadRequest("a line of the chunked body is too long")
            if end >= 0:
                self._on_line(self._line)
                self._line = b""
        return position

    def _on_line(self, line: bytes) -> None:
        if not line.endswith(b"\r\n"):
            raise BadRequest("a line of the chunked body does not end with CRLF")
        text = line[:-2].decode("latin-1")
        match self._state:
            case _Chunk.SIZE:
                size = _CHUNK_SIZE.fullmatch(text)
                if size is None:
                    raise BadRequest("a chunk's size is not a number")
                self._remaining = int(size[1], 16)
                self._state = _Chunk.DATA if self._remaining else _Chunk.TRAILER
            case _Chunk.DATA_END:
                if text:
                    raise BadRequest("a chunk is longer than its size")
                self._state = _Chunk.SIZE
            case _:
                field = _FIELD.fullmatch(text)
                if text and (field is None or field[1].lower() in _NEVER_IN_TRAILERS):
                    raise BadRequest("a trailer is malformed")
                self.done = not text
