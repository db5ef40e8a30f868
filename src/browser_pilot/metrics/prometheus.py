"""Figures for ``/metrics`` in Prometheus' text form. Counts and durations only: no names of sites, people or sessions.

One ``Metrics`` per hub, with a registry of its own, so that nothing else in the process shows up and tests do not meet.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Doors name themselves, and a figure must not grow a line for every name that someone thinks of.
DOORS = frozenset({"none", "command line", "API", "MCP client", "side panel", "dashboard"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=True)
        self._calls = Counter(
            "browser_pilot_calls", "Tool calls that ended.", ["tool", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "browser_pilot_call_seconds",
            "How long tool calls took.",
            ["tool"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "browser_pilot_tokens_returned", "Tokens in the answers of tools.", ["tool"], registry=self._registry
        )
        self._errors = Counter("browser_pilot_errors", "Errors by code.", ["code"], registry=self._registry)
        self._decisions = Counter(
            "browser_pilot_decisions", "What the policy decided.", ["decision", "risk"], registry=self._registry
        )
        self._approvals = Counter(
            "browser_pilot_approvals", "How questions to the user ended.", ["answer", "door"], registry=self._registry
        )

    def call(self, tool: str, *, status: str, duration_ms: float, tokens: int = 0, error: str | None = None) -> None:
        """A tool call ended; ``error`` is its code when it failed. ``tool`` must be a tool that there is."""
        self._calls.labels(tool, status).inc()
        self._seconds.labels(tool).observe(duration_ms / 1000)
        if tokens:
            self._tokens.labels(tool).inc(tokens)
        if error:
            self._errors.labels(error).inc()

    def decision(self, decision: str, risk: str) -> None:
        """The policy decided: allow, ask or deny, at this risk."""
        self._decisions.labels(decision, risk).inc()

    def approval(self, answer: str, door: str) -> None:
        """A question to the user ended, by an answer at this door or (``none``) without one."""
        self._approvals.labels(answer, door if door in DOORS else "other").inc()

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A figure that is read when someone asks: sessions, clients, memory. ``name`` without our prefix."""
        Gauge(f"browser_pilot_{name}", text, registry=self._registry).set_function(read)

    def render(self) -> bytes:
        """All of it. Reading the memory of many processes takes a while, so that this belongs into a thread."""
        return generate_latest(self._registry)
