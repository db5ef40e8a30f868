"""Page actions: click, type, fill, evaluate, wait. Each operation verifies its effect."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench import pages
from bench.competitors.base import Field, Session
from bench.rpc import CallFailed

from .base import Measurement, Operation, Participant, RunContext, expect

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
LATE_TEXT = "The parcel has arrived"
SIZES = {pages.SMALL: "small", pages.MIDDLE: "middle", pages.LARGE: "large"}


def _find(session: Session, role: str, name: str) -> str:
    return session.find_ref(session.snapshot().text, role, name)


def _open(participant: Participant, context: RunContext, path: str) -> Session:
    participant.session.navigate(context.site.url(pages.OWN, path))
    return participant.session


def click(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    yield Measurement("click", ms=_click(participant, context, "counter.html"))


def click_busy(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    yield Measurement("click busy", ms=_click(participant, context, "busy.html"))


def _click(participant: Participant, context: RunContext, path: str) -> float:
    session = _open(participant, context, path)
    result = session.click(_find(session, "button", BUTTON))
    expect(session.evaluate("'pressed ' + window.benchCount + ' times'"), "pressed 1 times")
    session.navigate("about:blank")
    return result.ms


def click_and_read(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = participant.session
    url = context.site.url(subject, f"{pages.path_of(subject)}?bench=counter")
    session.navigate(url)
    result = session.click_and_snapshot(_find(session, "button", BUTTON))
    expect(result, PRESSED)
    yield Measurement("see", ms=result.ms, tokens=context.count(result.text), subject=subject)
    session.navigate("about:blank")
    session.navigate(url)
    changes = session.click_and_diff(_find(session, "button", BUTTON))
    if changes is not None:
        expect(changes, PRESSED)
        yield Measurement("see changes", ms=changes.ms, tokens=context.count(changes.text), subject=subject)


def type_text(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = _open(participant, context, "form.html")
    result = session.type(_find(session, "textbox", "First name"), "Ada")
    expect(session.evaluate("'typed ' + document.forms[0].first.value + ' here'"), "typed Ada here")
    yield Measurement("type", ms=result.ms, tokens=context.count(result.text))
    session = _open(participant, context, "form.html")
    result = session.type_and_snapshot(_find(session, "textbox", "First name"), "Ada")
    expect(result, "Ada")
    yield Measurement("type and see", ms=result.ms, tokens=context.count(result.text))


def fill(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = _open(participant, context, "form.html")
    snapshot = session.snapshot().text
    fields = [Field(session.find_ref(snapshot, "textbox", name), name, value) for name, value in FIELDS.items()]
    result = session.fill(fields)
    values = "[...document.forms[0].elements].filter(e => e.name).map(e => e.value).join('; ')"
    expect(session.evaluate(values), "; ".join(FIELDS.values()))
    yield Measurement("fill", ms=result.ms, tokens=context.count(result.text))


def evaluate(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = _open(participant, context, "counter.html")
    result = session.evaluate("document.title + ' of ' + document.querySelectorAll('button').length")
    expect(result, "Counter of 1")
    yield Measurement("evaluate", ms=result.ms, tokens=context.count(result.text))


def wait_for(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = _open(participant, context, "late.html")
    began_ms = time.time() * 1000
    result = session.wait_for_text(LATE_TEXT)
    returned_ms = time.time() * 1000
    stamp = session.evaluate("'arrived at <' + window.benchArrived + '>'").text
    arrived_ms = float(stamp.partition("arrived at <")[2].partition(">")[0])
    if arrived_ms < began_ms:
        raise CallFailed("the text was there before the wait began")
    yield Measurement("wait for", ms=returned_ms - arrived_ms, tokens=context.count(result.text))


OPERATIONS = (
    Operation("click", {"click": ("click", "ms")}, click),
    Operation("busy", {"click busy": ("click, DOM changing every 50 ms", "ms")}, click_busy),
    Operation(
        "see",
        {
            "see": ("click + see the new state", "ms and tokens"),
            "see changes": ("click + see the changes only", "ms and tokens"),
        },
        click_and_read,
        subjects=tuple(SIZES),
    ),
    Operation(
        "type",
        {"type": ("type", "ms"), "type and see": ("type + see the new state", "ms and tokens")},
        type_text,
    ),
    Operation("fill", {"fill": ("fill ten fields", "ms and tokens")}, fill),
    Operation("evaluate", {"evaluate": ("evaluate", "ms")}, evaluate),
    Operation("wait", {"wait for": ("wait for text: late by", "ms and tokens")}, wait_for, max_rounds=5),
)
