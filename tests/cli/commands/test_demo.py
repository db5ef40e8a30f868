"""`demo`, the scripted agent, and the site that it books on."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import httpx
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.demo.booking import Booking, Refused, read_booking
from browser_pilot.demo.site import demo_site
from tests.hub_process import running_hub

from .conftest import Pilot

GOOD_LOGIN = {"email": "ada@example.com", "password": "lighthouse"}
EXPECTED = Booking("Grace Hopper", 2, "Lounge", bicycle=True)


@pytest.fixture
def short_folder() -> Generator[Path]:
    """Chromium puts a socket into TMPDIR, whose path must be short."""
    with tempfile.TemporaryDirectory(prefix="bp-") as folder:
        yield Path(folder)


@pytest.mark.browser
def test_the_agent_books_a_crossing_and_leaves_nothing_behind(pilot: Pilot, home: Path, short_folder: Path) -> None:
    outcome = pilot("demo", env={"TMPDIR": str(short_folder)})
    assert outcome.code == 0, outcome.err
    assert f"reference {EXPECTED.reference}" in outcome.out
    assert f"total {EXPECTED.total}" in outcome.out
    assert outcome.out.count(" ms ") == 7
    assert "lighthouse" not in outcome.out
    assert list(short_folder.glob("browser-pilot-demo-*")) == []
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert [command for command in commands if str(short_folder) in command] == []
    assert not home.exists()


@pytest.mark.browser
def test_the_agent_uses_a_running_hub_and_takes_leave_of_it(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        outcome = pilot("demo")
        assert outcome.code == 0, outcome.err
        assert f"Using the hub at {hub.mcp_url}" in outcome.out
        status = pilot("status", "--json").data
        assert status["clients"] == []
        assert status["sessions"] == 0


def test_the_demo_says_what_is_wrong_when_no_browser_starts(pilot: Pilot) -> None:
    outcome = pilot("demo", env={"BROWSER_PILOT_BROWSER__EXECUTABLE": "/no/browser"})
    assert outcome.code == 1
    assert "/no/browser" in outcome.err
    assert "Traceback" not in outcome.err
    assert "doctor" in outcome.err


@pytest.fixture
def visitor() -> Generator[httpx.Client]:
    with demo_site() as address, httpx.Client(base_url=address, follow_redirects=True) as client:
        yield client


def test_booking_needs_a_sign_in(visitor: httpx.Client) -> None:
    assert "<h1>Sign in</h1>" in visitor.get("/book").text
    assert "<h1>Sign in</h1>" in visitor.post("/book", data={"name": "x"}).text
    wrong = visitor.post("/sign-in", data={"email": "ada@example.com", "password": "x"}).text
    assert 'role="alert"' in wrong
    assert "Book a crossing" in visitor.post("/sign-in", data=GOOD_LOGIN).text
    visitor.get("/sign-out")
    assert "<h1>Sign in</h1>" in visitor.get("/book").text


def test_what_a_visitor_types_is_shown_as_text(visitor: httpx.Client) -> None:
    visitor.post("/sign-in", data=GOOD_LOGIN)
    page = visitor.post("/book", data={"name": "<b>$title</b>", "passengers": "1", "seat": "Deck"}).text
    assert "&lt;b&gt;$title&lt;/b&gt;" in page
    assert "12.00 EUR" in page


def test_hostile_requests_get_an_answer(visitor: httpx.Client) -> None:
    assert visitor.get("/../../etc/passwd").status_code == 404
    assert visitor.post("/sign-in", content=b"\xff" * 20_000).status_code == 200
    assert visitor.get("/book", headers={"Cookie": "lantern=\x01; ==;"}).status_code == 200


@given(
    name=st.text(max_size=100),
    passengers=st.one_of(st.integers(-5, 20).map(str), st.text(max_size=5)),
    seat=st.sampled_from(["Deck", "Lounge", "Cabin", "Mast", ""]),
    bicycle=st.sampled_from(["yes", "no", ""]),
)
def test_a_form_is_a_sound_booking_or_is_refused(name: str, passengers: str, seat: str, bicycle: str) -> None:
    form = {"name": name, "passengers": passengers, "seat": seat, "bicycle": bicycle}
    try:
        booking = read_booking(form)
    except Refused:
        return
    assert booking.name == name.strip()
    assert 1 <= booking.passengers == int(passengers) <= 9
    assert booking.total.endswith(" EUR")
    assert booking.reference == read_booking(form).reference
