"""Responses of the proxy itself: errors as small pages that name the rule, and two fixed ones. Pure."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

REALM = "Browser Pilot"


class ProxyErrorResponse(Exception):
    """Ends the request with this response."""

    def __init__(self, status: HTTPStatus, reason: str, *, rule: str | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.rule = rule


def error_page(status: HTTPStatus, reason: str, *, rule: str | None = None, close: bool = False) -> bytes:
    """A complete response. A browser shows its text for plain HTTP; for tunnels it only reports a failure."""
    decided_by = f"<p>Decided by {escape(rule)}. Only the user can change it.</p>" if rule else ""
    page = (
        f"<!doctype html><meta charset=utf-8><title>{status.phrase}</title>"
        f"<h1>Browser Pilot: {escape(status.phrase.lower())}</h1><p>{escape(reason)}</p>{decided_by}\n"
    ).encode()
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(page)}",
        "Cache-Control: no-store",
        "X-Browser-Pilot: proxy",
    ]
    if status is HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        lines.append(f'Proxy-Authenticate: Basic realm="{REALM}"')
    if close:
        lines.append("Connection: close")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + page


# The response to ``chromium_flags.PROXY_LOGIN_URL``, sent to clients that have authenticated.
PROXY_LOGIN_RESPONSE = b"HTTP/1.1 204 No Content\r\nCache-Control: no-store\r\n\r\n"
TUNNEL_OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"
