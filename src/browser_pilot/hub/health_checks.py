"""Health checks: one per part of the hub, joined in the health report, and the gauges. Reads the parts only."""

from __future__ import annotations

import time
from collections.abc import Sized
from dataclasses import dataclass, field

from browser_pilot import __version__
from browser_pilot.approvals.models import ApprovalEvent
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.egress import EgressProxy
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.errors import PilotError, RecordsUnavailable
from browser_pilot.http_api.health import PartHealth, health_report
from browser_pilot.metrics.process_memory import process_tree_bytes
from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.secrets.secret_store import SecretStore

from .browsers import Browsers
from .records import Records


@dataclass(frozen=True, kw_only=True)
class HealthReport:
    config: LiveConfig
    records: Records
    browsers: Browsers
    approvals: ApprovalQueue
    clients: Sized
    sessions: Sized
    started: float = field(default_factory=time.time)

    def data(self) -> dict[str, object]:
        """The full report, as `/api/health` shows it."""
        facts = {
            "version": __version__,
            "uptime_seconds": round(time.time() - self.started, 1),
            "clients": len(self.clients),
            "sessions": len(self.sessions),
            "browsers": [
                {"kind": facts.kind, "version": facts.version, "sessions": facts.contexts}
                for facts in self.browsers.managed.engine.facts()
            ],
            "approvals": {"open": len(self.approvals.pending), "watchers": self.approvals.watcher_count},
        }
        parts = (
            PartHealth("hub", "ok", f"version {__version__}"),
            check_browsers(self.browsers.managed.engine),
            check_settings(self.config.problem),
            check_log(self.records.log),
            check_approvals(self.approvals),
            check_egress(self.browsers.managed.egress),
            check_secrets(self.records.secrets),
        )
        return health_report(facts, parts)

    def add_gauges(self, metrics: Metrics) -> None:
        """Register the gauges of `/metrics`; they are read on each request."""
        metrics.add_gauge("clients", "Connected MCP clients.", lambda: len(self.clients))
        metrics.add_gauge("sessions", "Open browser sessions.", lambda: len(self.sessions))
        metrics.add_gauge("browsers", "Running browsers.", lambda: len(self.browsers.managed.engine.facts()))
        metrics.add_gauge("open_questions", "Pending approval requests.", lambda: len(self.approvals.pending))
        metrics.add_gauge("memory_bytes", "Memory of the hub and its browsers.", process_tree_bytes)


def check_egress(proxy: EgressProxy) -> PartHealth:
    if not proxy.is_listening:
        return PartHealth("egress", "problem", "the egress proxy is not listening: browsers have no network")
    return PartHealth("egress", "ok", f"the egress proxy is listening, {proxy.open_connections} connections")


def check_log(log: AuditLog) -> PartHealth:
    problem = log.problem
    if problem is None:
        return PartHealth("log", "ok", f"written to {log.files.database}")
    return PartHealth("log", "problem", problem.message)


def check_settings(problem: PilotError | None) -> PartHealth:
    if problem is None:
        return PartHealth("policy", "ok", "settings and rules are up to date with their files")
    text = f"the last change is invalid, the previous configuration stays in force: {problem.message}"
    return PartHealth("policy", "problem", text)


def check_browsers(engine: ManagedEngine) -> PartHealth:
    running = [f"{facts.kind} {facts.version}" for facts in engine.facts()]
    return PartHealth("browsers", "ok", ", ".join(running) or "none yet; one starts when a page is opened")


def check_approvals(queue: ApprovalQueue) -> PartHealth:
    pending, watchers = _count(len(queue.pending), "pending approval"), _count(queue.watcher_count, "watcher")
    return PartHealth("approvals", "ok", f"{pending}, {watchers}")


def check_secrets(store: SecretStore) -> PartHealth:
    try:
        names = store.names()
    except RecordsUnavailable as problem:
        return PartHealth("secrets", "problem", problem.message)
    if not names:
        return PartHealth("secrets", "ok", "none are set")
    place = "the system's keyring" if store.key_location == "keyring" else "a private file"
    return PartHealth("secrets", "ok", f"{_count(len(names), 'secret')}, their key in {place}")


def count_approval(metrics: Metrics, event: ApprovalEvent) -> None:
    """Count how an approval request ended: by a decision, or without one."""
    if event.decision is not None:
        metrics.count_approval(event.decision.choice, event.decision.channel)
    elif event.kind != "asked":
        metrics.count_approval(event.kind, "none")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
