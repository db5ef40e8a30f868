"""The client's side of a proxy's handshake: HTTP ``CONNECT`` and SOCKS 5 (RFC 1928, RFC 1929). Pure, without I/O.

A handshake is fed what the proxy sends and returns what to send. What arrives after its end belongs to the tunnel.
"""

from __future__ import annotations

import base64
from collections.abc import Generator
from ipaddress import IPv4Address, ip_address

MAX_RESPONSE_HEAD_BYTES = 16_384
HEAD_END = b"\r\n\r\n"

_SOCKS_ERRORS = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "TTL expired",
    7: "command not supported",
    8: "address type not supported",
}
_NO_CREDENTIALS, _USER_AND_PASSWORD = 0, 2


class HandshakeError(OSError):
    """The proxy refuses, or does not speak its protocol."""


class ProxyHandshake:
    """``steps`` yields what to send and how many bytes it needs next (0: up to the end of a head), and gets them."""

    def __init__(self, steps: Generator[tuple[bytes, int], bytes]) -> None:
        self._steps = steps
        self._buffer = b""
        self._needed = 0
        self.is_done = False

    def start(self) -> bytes:
        """The first bytes to send."""
        sent, self._needed = next(self._steps)
        return sent

    def feed(self, data: bytes) -> bytes:
        """What to send in response. Raises ``HandshakeError``."""
        self._buffer += data
        to_send = b""
        while not self.is_done and (part := self._next_part()) is not None:
            try:
                sent, self._needed = self._steps.send(part)
                to_send += sent
            except StopIteration:
                self.is_done = True
        return to_send

    @property
    def rest(self) -> bytes:
        """What arrived after the end of the handshake."""
        return self._buffer

    def _next_part(self) -> bytes | None:
        if self._needed:
            end = self._needed
        else:
            end = self._buffer.find(HEAD_END) + len(HEAD_END)
            if end < len(HEAD_END):
                if len(self._buffer) > MAX_RESPONSE_HEAD_BYTES:
                    raise HandshakeError("the proxy's response is too long")
                return None
        if len(self._buffer) < end:
            return None
        part, self._buffer = self._buffer[:end], self._buffer[end:]
        return part


def http_connect(host: str, port: int, credentials: str) -> ProxyHandshake:
    def steps() -> Generator[tuple[bytes, int], bytes]:
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if credentials:
            lines.append(f"Proxy-Authorization: {basic_credentials(credentials)}")
        head = yield ("\r\n".join(lines) + "\r\n\r\n").encode("ascii"), 0
        parts = head.split(b" ", 2)
        status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        if status != 200:
            raise HandshakeError(_refusal(status))

    return ProxyHandshake(steps())


def socks5(host: str, port: int, credentials: str) -> ProxyHandshake:
    """Names are resolved by the proxy."""

    def steps() -> Generator[tuple[bytes, int], bytes]:
        methods = bytes([_NO_CREDENTIALS, _USER_AND_PASSWORD] if credentials else [_NO_CREDENTIALS])
        version, method = yield bytes([5, len(methods)]) + methods, 2
        if version != 5:
            raise HandshakeError("the proxy does not speak SOCKS 5")
        if method == _USER_AND_PASSWORD and credentials:
            user, _, password = credentials.partition(":")
            _, status = yield b"\x01" + _counted(user.encode()) + _counted(password.encode()), 2
            if status != 0:
                raise HandshakeError("the proxy rejects the credentials")
        elif method != _NO_CREDENTIALS:
            raise HandshakeError("the proxy requires credentials")
        request = b"\x05\x01\x00" + _socks_address(host) + port.to_bytes(2, "big")
        _, status, _, address_type, first = yield request, 5
        if status != 0:
            raise HandshakeError(f"the proxy could not connect: {_SOCKS_ERRORS.get(status, f'error {status}')}")
        # The address that the proxy is bound to, and its port; one byte of them is read.
        yield b"", {1: 4, 3: first + 1, 4: 16}.get(address_type, 4) - 1 + 2

    return ProxyHandshake(steps())


def basic_credentials(credentials: str) -> str:
    return f"Basic {base64.b64encode(credentials.encode()).decode('ascii')}"


def _refusal(status: int) -> str:
    if status == 407:
        return "the proxy requires other credentials (status 407)"
    return f"the proxy responded with status {status}" if status else "the proxy sent no HTTP response"


def _socks_address(host: str) -> bytes:
    try:
        address = ip_address(host)
    except ValueError:
        return b"\x03" + _counted(host.encode("ascii"))
    return (b"\x01" if isinstance(address, IPv4Address) else b"\x04") + address.packed


def _counted(value: bytes) -> bytes:
    if len(value) > 255:
        raise HandshakeError("a name or password is too long for SOCKS 5")
    return bytes([len(value)]) + value
