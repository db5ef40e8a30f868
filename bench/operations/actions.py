"""Operations on a page: click, see, type, fill, evaluate, wait. Each one checks that it really happened."""

from __future__ import annotations

import time
from collections.abc import Iterator

from .. import pages
from ..competitors.base import Field, Session
from ..rpc import CallFailed
from .contest import Contestant, Ground, Measure, Operation, expect

BUTTON = "Bench count 0"
PRESSED = "Bench count 1"
FIELDS = {
    "First name": "Ada",
    "Last name": "Lovelace",
    "Street": "St James Square",
    "House number": "12",
    "Town": "London",
    "Postcode": "SW1Y 4LB",
    "Country": "England",
    "Email": "ada@example.com",
    "Telephone": "0123456789",
    "Remarks": "Ring twice, please",
}
NEWS = "The parcel has arrived"
SIZES = {pages.SMALL: "small", pages.MIDDLE: "middle", pages.LARGE: "large"}


def _find(session: Session, role: str, name: str) -> str:
    return session.handle_of(session.snapshot().text, role, name)


def _open(contestant: Contestant, ground: Ground, path: str) -> Session:
    contestant.session.navigate(ground.site.url(pages.OWN, path))
    return contestant.session


def click(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    yield Measure("click", ms=_click(contestant, ground, "counter.html"))


def click_busy(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    yield Measure("click busy", ms=_click(contestant, ground, "busy.html"))


def _click(contestant: Contestant, ground: Ground, path: str) -> float:
    session = _open(contestant, ground, path)
    answer = session.click(_find(session, "button", BUTTON))
    expect(session.evaluate("'pressed ' + window.benchCount + ' times'"), "pressed 1 times")
    session.navigate("about:blank")
    return answer.ms


def see(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = contestant.session
    url = ground.site.url(subject, f"{pages.path_of(subject)}?bench=counter")
    session.navigate(url)
    answer = session.click_and_see(_find(session, "button", BUTTON))
    expect(answer, PRESSED)
    yield Measure("see", ms=answer.ms, tokens=ground.count(answer.text), subject=subject)
    session.navigate("about:blank")
    session.navigate(url)
    changes = session.click_and_see_changes(_find(session, "button", BUTTON))
    if changes is not None:
        expect(changes, PRESSED)
        yield Measure("see changes", ms=changes.ms, tokens=ground.count(changes.text), subject=subject)


def type_text(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = _open(contestant, ground, "form.html")
    answer = session.type(_find(session, "textbox", "First name"), "Ada")
    expect(session.evaluate("'typed ' + document.forms[0].first.value + ' here'"), "typed Ada here")
    yield Measure("type", ms=answer.ms, tokens=ground.count(answer.text))
    session = _open(contestant, ground, "form.html")
    answer = session.type_and_see(_find(session, "textbox", "First name"), "Ada")
    expect(answer, "Ada")
    yield Measure("type and see", ms=answer.ms, tokens=ground.count(answer.text))


def fill(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = _open(contestant, ground, "form.html")
    snapshot = session.snapshot().text
    fields = [Field(session.handle_of(snapshot, "textbox", name), name, value) for name, value in FIELDS.items()]
    answer = session.fill(fields)
    values = "[...document.forms[0].elements].filter(e => e.name).map(e => e.value).join('; ')"
    expect(session.evaluate(values), "; ".join(FIELDS.values()))
    yield Measure("fill", ms=answer.ms, tokens=ground.count(answer.text))


def evaluate(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = _open(contestant, ground, "counter.html")
    answer = session.evaluate("document.title + ' of ' + document.querySelectorAll('button').length")
    expect(answer, "Counter of 1")
    yield Measure("evaluate", ms=answer.ms, tokens=ground.count(answer.text))


def wait_for(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = _open(contestant, ground, "late.html")
    began_ms = time.time() * 1000
    answer = session.wait_for_text(NEWS)
    answered_ms = time.time() * 1000
    stamp = session.evaluate("'arrived at <' + window.benchArrived + '>'").text
    arrived_ms = float(stamp.partition("arrived at <")[2].partition(">")[0])
    if arrived_ms < began_ms:
        raise CallFailed("the text was there before the wait began")
    yield Measure("wait for", ms=answered_ms - arrived_ms, tokens=ground.count(answer.text))


OPERATIONS = (
    Operation("click", {"click": ("click", "ms")}, click),
    Operation("busy", {"click busy": ("click, DOM changing every 50 ms", "ms")}, click_busy),
    Operation(
        "see",
        {
            "see": ("click + see the new state", "ms and tokens"),
            "see changes": ("click + see the changes only", "ms and tokens"),
        },
        see,
        subjects=tuple(SIZES),
    ),
    Operation(
        "type",
        {"type": ("type", "ms"), "type and see": ("type + see the new state", "ms and tokens")},
        type_text,
    ),
    Operation("fill", {"fill": ("fill ten fields", "ms and tokens")}, fill),
    Operation("evaluate", {"evaluate": ("evaluate", "ms")}, evaluate),
    Operation("wait", {"wait for": ("wait for text: late by", "ms and tokens")}, wait_for, most_rounds=5),
)
