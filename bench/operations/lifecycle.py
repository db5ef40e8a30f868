"""Operations on the competitor itself: how it starts, what its tools cost, what it weighs, what it leaves behind."""

from __future__ import annotations

import time
from collections.abc import Iterator

from .. import pages
from ..processes import Den
from .contest import Contestant, Ground, Measure, Operation

SESSIONS = ("admin dashboard", "data table", "form reference", "project index", "option tables")
LEAVE_SECONDS = 5.0


def start_up(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    """While another session of the same kind is alive, so that a hub that can be shared is warm."""
    contestant.session.navigate(ground.site.url(pages.OWN, "counter.html"))
    as_user = contestant.competitor.start_up_ms(contestant.den, as_user=True)
    if as_user is not None:
        yield Measure("start-up", ms=as_user)
    direct = contestant.competitor.start_up_ms(contestant.den, as_user=False)
    if direct is not None:
        yield Measure("start-up direct", ms=direct)


def first_page(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    url = ground.site.url(pages.OWN, "counter.html")
    cold = Den.create()
    try:
        yield Measure("first page", ms=_open_first(contestant, cold, url))
        contestant.competitor.stop(cold)
    finally:
        cold.end()
    contestant.session.navigate(url)
    yield Measure("first page warm", ms=_open_first(contestant, contestant.den, url))


def _open_first(contestant: Contestant, den: Den, url: str) -> float:
    began = time.perf_counter()
    session = contestant.competitor.start(den)
    try:
        session.navigate(url)
        return (time.perf_counter() - began) * 1000
    finally:
        session.close()


def tools(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    for profile, text in contestant.competitor.tool_lists(contestant.den).items():
        key = "tools" if profile == "default" else "tools minimal"
        yield Measure(key, tokens=ground.count(text))


def memory(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    den = Den.create()
    try:
        urls = [ground.site.url(key, pages.path_of(key)) for key in SESSIONS]
        sessions = contestant.competitor.open_many(den, urls)
        yield Measure("memory", amount=den.memory_mb())
        for session in sessions:
            session.close()
        contestant.competitor.stop(den)
    finally:
        den.end()


def leftovers(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    den = Den.create()
    try:
        session = contestant.competitor.start(den)
        session.navigate(ground.site.url(pages.OWN, "counter.html"))
        session.close()
        yield Measure("left", amount=den.wait_until_empty(seconds=LEAVE_SECONDS))
        contestant.competitor.stop(den)
        yield Measure("left after stop", amount=den.wait_until_empty(seconds=LEAVE_SECONDS))
    finally:
        den.end()


OPERATIONS = (
    Operation(
        "start-up",
        {
            "start-up": ("spawn → reply to initialize, as a user starts it", "ms"),
            "start-up direct": ("the same without npx", "ms"),
        },
        start_up,
    ),
    Operation(
        "first-page",
        {
            "first page": ("spawn → first page", "ms"),
            "first page warm": ("spawn → first page, another session alive", "ms"),
        },
        first_page,
        most_rounds=3,
    ),
    Operation(
        "tools",
        {"tools": ("tool list", "tokens"), "tools minimal": ("tool list, minimal profile", "tokens")},
        tools,
        most_rounds=1,
    ),
    Operation("memory", {"memory": ("five sessions: memory (PSS)", "MB")}, memory, most_rounds=3),
    Operation(
        "leftovers",
        {
            "left": ("processes left 5 s after exit", "processes"),
            "left after stop": ("… after its own stop command", "processes"),
        },
        leftovers,
        most_rounds=1,
    ),
)
