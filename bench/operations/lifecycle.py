"""Start-up, tool list, memory and remaining processes of a competitor."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench import pages
from bench.workspace import Workspace

from .base import Measurement, Operation, Participant, RunContext

SESSIONS = ("admin dashboard", "data table", "form reference", "project index", "option tables")
EXIT_TIMEOUT_SECONDS = 5.0


def start_up(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    """Measures while another session is open, so that a shared hub is warm."""
    participant.session.navigate(context.site.url(pages.OWN, "counter.html"))
    as_user = participant.competitor.start_up_ms(participant.workspace, as_user=True)
    if as_user is not None:
        yield Measurement("start-up", ms=as_user)
    direct = participant.competitor.start_up_ms(participant.workspace, as_user=False)
    if direct is not None:
        yield Measurement("start-up direct", ms=direct)


def first_page(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    url = context.site.url(pages.OWN, "counter.html")
    cold = Workspace.create()
    try:
        yield Measurement("first page", ms=_open_first(participant, cold, url))
        participant.competitor.stop(cold)
    finally:
        cold.close()
    participant.session.navigate(url)
    yield Measurement("first page warm", ms=_open_first(participant, participant.workspace, url))


def _open_first(participant: Participant, workspace: Workspace, url: str) -> float:
    began = time.perf_counter()
    session = participant.competitor.start(workspace)
    try:
        session.navigate(url)
        return (time.perf_counter() - began) * 1000
    finally:
        session.close()


def tools(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    for profile, text in participant.competitor.tool_lists(participant.workspace).items():
        key = "tools" if profile == "default" else "tools minimal"
        yield Measurement(key, tokens=context.count(text))


def memory(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    workspace = Workspace.create()
    try:
        urls = [context.site.url(key, pages.path_of(key)) for key in SESSIONS]
        sessions = participant.competitor.open_sessions(workspace, urls)
        yield Measurement("memory", amount=workspace.memory_mb())
        for session in sessions:
            session.close()
        participant.competitor.stop(workspace)
    finally:
        workspace.close()


def orphan_processes(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    workspace = Workspace.create()
    try:
        session = participant.competitor.start(workspace)
        session.navigate(context.site.url(pages.OWN, "counter.html"))
        session.close()
        yield Measurement("left", amount=workspace.wait_until_empty(seconds=EXIT_TIMEOUT_SECONDS))
        participant.competitor.stop(workspace)
        yield Measurement("left after stop", amount=workspace.wait_until_empty(seconds=EXIT_TIMEOUT_SECONDS))
    finally:
        workspace.close()


OPERATIONS = (
    Operation(
        "start-up",
        {
            "start-up": ("spawn → response to initialize, as a user starts it", "ms"),
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
        max_rounds=3,
    ),
    Operation(
        "tools",
        {"tools": ("tool list", "tokens"), "tools minimal": ("tool list, minimal profile", "tokens")},
        tools,
        max_rounds=1,
    ),
    Operation("memory", {"memory": ("five sessions: memory (PSS)", "MB")}, memory, max_rounds=3),
    Operation(
        "leftovers",
        {
            "left": ("processes left 5 s after exit", "processes"),
            "left after stop": ("… after its own stop command", "processes"),
        },
        orphan_processes,
        max_rounds=1,
    ),
)
