"""The demo site: sign-in, escaping and hostile requests."""

from __future__ import annotations

from collections.abc import Generator

import httpx
import pytest

from browser_pilot.demo.site import demo_site

VALID_LOGIN = {"email": "ada@example.com", "password": "lighthouse"}


@pytest.fixture
def client() -> Generator[httpx.Client]:
    with demo_site() as address, httpx.Client(base_url=address, follow_redirects=True) as http:
        yield http


def test_booking_needs_a_sign_in(client: httpx.Client) -> None:
    assert "<h1>Sign in</h1>" in client.get("/book").text
    assert "<h1>Sign in</h1>" in client.post("/book", data={"name": "x"}).text
    wrong = client.post("/sign-in", data={"email": "ada@example.com", "password": "x"}).text
    assert 'role="alert"' in wrong
    assert "Book a crossing" in client.post("/sign-in", data=VALID_LOGIN).text
    client.get("/sign-out")
    assert "<h1>Sign in</h1>" in client.get("/book").text


def test_form_input_is_escaped(client: httpx.Client) -> None:
    client.post("/sign-in", data=VALID_LOGIN)
    page = client.post("/book", data={"name": "<b>$title</b>", "passengers": "1", "seat": "Deck"}).text
    assert "&lt;b&gt;$title&lt;/b&gt;" in page
    assert "12.00 EUR" in page


def test_hostile_requests_get_a_response(client: httpx.Client) -> None:
    assert client.get("/../../etc/passwd").status_code == 404
    assert client.post("/sign-in", content=b"\xff" * 20_000).status_code == 200
    assert client.get("/book", headers={"Cookie": "lantern=\x01; ==;"}).status_code == 200
