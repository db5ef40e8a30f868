"""A newspaper site with a login, on loopback: a form, an HttpOnly session cookie, and articles."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

from tests.sites import Site, serving

READER, PASSWORD = "ada@example.com", "correct horse battery"
HEADLINE = "Engine computes Bernoulli numbers"
STORY = " ".join(f"Sentence {number} of the story about the engine and its numbers." for number in range(40))
LOGIN = """<!doctype html><html lang="en"><title>Sign in - The Daily Engine</title><h1>Please sign in</h1>
<form method="post" action="/login"><label>Email <input type="email" name="email"></label>
<label>Password <input type="password" name="password"></label><button type="submit">Sign in</button></form></html>"""
ARTICLE = f"""<!doctype html><html lang="en"><title>{HEADLINE}</title>
<nav><a href="/">Home</a> <a href="/more">More</a></nav>
<article><h1>{HEADLINE}</h1><p>{STORY}</p><p>{STORY}</p></article></html>"""


@dataclass
class Newspaper:
    site: Site
    sessions: set[str] = field(default_factory=set[str])
    cookies_seen: list[str] = field(default_factory=list[str])

    def url(self, path: str) -> str:
        return self.site.url(path)


@contextmanager
def serving_newspaper() -> Generator[Newspaper]:
    def is_signed_in(request: BaseHTTPRequestHandler) -> bool:
        cookies = request.headers.get("Cookie", "")
        paper.cookies_seen.append(cookies)
        return any(f"session={session}" in cookies for session in paper.sessions)

    def article(request: BaseHTTPRequestHandler) -> None:
        _send(request, ARTICLE if is_signed_in(request) else LOGIN)

    def login(request: BaseHTTPRequestHandler) -> None:
        if request.command != "POST":
            _send(request, LOGIN)
            return
        given = parse_qs(request.rfile.read(int(request.headers["Content-Length"])).decode())
        if given.get("email") != [READER] or given.get("password") != [PASSWORD]:
            _send(request, LOGIN)
            return
        session = secrets.token_hex(8)
        paper.sessions.add(session)
        request.send_response(303)
        request.send_header("Set-Cookie", f"session={session}; HttpOnly; Path=/")
        request.send_header("Location", "/")
        request.end_headers()

    def away(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", request.path.partition("?to=")[2])
        request.end_headers()

    front = "<!doctype html><title>The Daily Engine</title><h1>Welcome</h1>"
    with serving({"/": front, "/article": article, "/login": login, "/away": away}) as site:
        paper = Newspaper(site)
        yield paper


def _send(request: BaseHTTPRequestHandler, page: str) -> None:
    body = page.encode()
    request.send_response(200)
    request.send_header("Content-Type", "text/html; charset=utf-8")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
