"""The demo site: plain pages with forms, served by a thread on a free loopback port."""

from __future__ import annotations

import html
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from string import Template
from typing import cast
from urllib.parse import parse_qs, urlsplit

from .booking import EMAIL, InvalidBooking, may_sign_in, read_booking

PACKAGE = "browser_pilot.demo"
COOKIE = "lantern"
MAX_FORM_BYTES = 10_000
REQUEST_TIMEOUT_SECONDS = 10
SIGN_OUT = '<a href="/sign-out">Sign out</a>'


@contextmanager
def demo_site() -> Generator[str]:
    """Serve the site for the duration of the ``with`` block; yields its URL."""
    server = _Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Site(ThreadingHTTPServer):
    daemon_threads = True
    # A browser that keeps a connection open must not delay the shutdown.
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.session_tokens: set[str] = set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = REQUEST_TIMEOUT_SECONDS

    def do_GET(self) -> None:
        match urlsplit(self.path).path:
            case "/":
                self._page("Sign in", "sign_in", alert="")
            case "/style.css":
                self._send(HTTPStatus.OK, _file("style.css"), content_type="text/css")
            case "/book" if self._is_signed_in():
                self._page("Book a crossing", "book", corner=SIGN_OUT, alert="", email=EMAIL)
            case "/sign-out":
                self._session_tokens.discard(self._session_token())
                self._redirect("/")
            case "/book":
                self._redirect("/")
            case _:
                self._page("Not found", "missing", status=HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        form = self._form()
        match urlsplit(self.path).path:
            case "/sign-in" if may_sign_in(form):
                token = secrets.token_urlsafe(16)
                self._session_tokens.add(token)
                self._redirect("/book", cookie=f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/")
            case "/sign-in":
                self._page("Sign in", "sign_in", alert=_alert("Email or password is wrong."))
            case "/book" if self._is_signed_in():
                self._book(form)
            case "/book":
                self._redirect("/")
            case _:
                self._page("Not found", "missing", status=HTTPStatus.NOT_FOUND)

    def _book(self, form: dict[str, str]) -> None:
        try:
            booking = read_booking(form)
        except InvalidBooking as error:
            self._page("Book a crossing", "book", corner=SIGN_OUT, alert=_alert(str(error)), email=EMAIL)
            return
        self._page(
            "Booking confirmed",
            "booked",
            corner=SIGN_OUT,
            name=html.escape(booking.name),
            reference=booking.reference,
            passengers=str(booking.passengers),
            seat=booking.seat,
            bicycle="Yes" if booking.bicycle else "No",
            total=booking.total,
        )

    def _form(self) -> dict[str, str]:
        length = self.headers.get("Content-Length", "0")
        size = int(length) if length.isascii() and length.isdigit() else 0
        if size > MAX_FORM_BYTES:
            self.close_connection = True
            return {}
        return {name: values[0] for name, values in parse_qs(self.rfile.read(size).decode("utf-8", "replace")).items()}

    @property
    def _session_tokens(self) -> set[str]:
        return cast(_Site, self.server).session_tokens

    def _session_token(self) -> str:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    def _is_signed_in(self) -> bool:
        return self._session_token() in self._session_tokens

    def _page(
        self, title: str, file: str, *, status: HTTPStatus = HTTPStatus.OK, corner: str = "", **values: str
    ) -> None:
        content = Template(_file(f"{file}.html")).substitute(values).rstrip()
        self._send(status, Template(_file("frame.html")).substitute(title=title, corner=corner, content=content))

    def _redirect(self, location: str, *, cookie: str | None = None) -> None:
        headers = {"Location": location, **({"Set-Cookie": cookie} if cookie else {})}
        self._send(HTTPStatus.SEE_OTHER, "", headers=headers)

    def _send(
        self, status: HTTPStatus, text: str, *, content_type: str = "text/html", headers: dict[str, str] | None = None
    ) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'")
        self.send_header("Cache-Control", "no-store")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that the base class has
        """Suppressed: the terminal belongs to the command."""


def _alert(text: str) -> str:
    return f'<p class="alert" role="alert">✗ {html.escape(text)}</p>'


@cache
def _file(name: str) -> str:
    return (files(PACKAGE) / "pages" / name).read_text(encoding="utf-8")
