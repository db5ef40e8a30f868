"""What the hub tells of itself: its state part by part, and its figures. Reads the parts, changes nothing.

Only ``app`` uses it, which has the parts.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized

from . import __version__
from .approvals.questions import Event
from .approvals.queue import ApprovalQueue
from .egress import EgressProxy
from .engines.managed import ManagedEngine
from .errors import PilotError, RecordsUnavailable
from .records.activity import ActivityLog
from .records.memory import process_tree_bytes
from .records.metrics import Metrics
from .records.secrets import SecretStore
from .server.health import Part


def hub_part() -> Part:
    return Part("hub", "ok", f"version {__version__}")


def egress_part(proxy: EgressProxy) -> Part:
    if not proxy.listens:
        return Part("egress", "problem", "the filtering proxy is not listening: browsers reach nothing until it does")
    return Part("egress", "ok", f"the filtering proxy listens, {proxy.open_connections} connections")


def log_part(log: ActivityLog) -> Part:
    problem = log.problem
    if problem is None:
        return Part("log", "ok", f"written to {log.files.database}")
    return Part("log", "problem", problem.message)


def settings_part(problem: PilotError | None) -> Part:
    if problem is None:
        return Part("policy", "ok", "settings and rules are as their files say")
    return Part("policy", "problem", f"the last change was not taken, what held before still does: {problem.message}")


def browsers_part(engine: ManagedEngine) -> Part:
    running = [f"{facts.kind} {facts.version}" for facts in engine.facts()]
    return Part("browsers", "ok", ", ".join(running) or "none yet; one starts when a page is opened")


def approvals_part(queue: ApprovalQueue) -> Part:
    watchers = f"{queue.watchers} watching" if queue.watchers else "nobody is watching"
    return Part("approvals", "ok", f"{_count(queue.pending, 'question')} open, {watchers}")


def secrets_part(store: SecretStore) -> Part:
    try:
        names = store.names()
    except RecordsUnavailable as problem:
        return Part("secrets", "problem", problem.message)
    if not names:
        return Part("secrets", "ok", "none are set")
    place = "the system's keyring" if store.key_place == "keyring" else "a private file"
    return Part("secrets", "ok", f"{_count(names, 'secret')}, their key in {place}")


def add_gauges(
    metrics: Metrics, *, clients: Sized, sessions: Sized, engine: ManagedEngine, approvals: ApprovalQueue
) -> None:
    """Figures that are read when someone asks."""
    metrics.gauge("clients", "MCP clients that are connected.", lambda: len(clients))
    metrics.gauge("sessions", "Browser sessions that are open.", lambda: len(sessions))
    metrics.gauge("browsers", "Browsers that run.", lambda: len(engine.facts()))
    metrics.gauge("open_questions", "Questions that wait for an answer.", lambda: len(approvals.pending))
    metrics.gauge("memory_bytes", "Memory of the hub and its browsers.", process_tree_bytes)


def count_question(metrics: Metrics, event: Event) -> None:
    """How a question ended: by an answer, or without one."""
    if event.answer is not None:
        metrics.approval(event.answer.choice, event.answer.door)
    elif event.kind != "asked":
        metrics.approval(event.kind, "none")


def _count(things: Sequence[object] | dict[str, tuple[str, ...]], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"
