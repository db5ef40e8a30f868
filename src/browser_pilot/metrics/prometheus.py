"""Metrics for ``/metrics`` in the Prometheus text format. Counts and durations only: no sites, people or sessions.

One ``Metrics`` per hub, with its own registry, so that it contains nothing else of the process and tests are isolated.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Approval channels choose their own names; any other one is counted as "other", so that the label stays bounded.
APPROVAL_CHANNELS = frozenset({"none", "command line", "API", "MCP client", "side panel", "dashboard"})
BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


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
            buckets=BUCKETS_SECONDS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "browser_pilot_tokens_returned", "Tokens in tool results.", ["tool"], registry=self._registry
        )
        self._errors = Counter("browser_pilot_errors", "Errors by code.", ["code"], registry=self._registry)
        self._decisions = Counter(
            "browser_pilot_decisions", "Policy decisions.", ["decision", "risk"], registry=self._registry
        )
        self._approvals = Counter(
            "browser_pilot_approvals", "How approval requests ended.", ["answer", "door"], registry=self._registry
        )

    def count_call(
        self, tool: str, *, status: str, duration_ms: float, tokens: int = 0, error: str | None = None
    ) -> None:
        """A tool call ended; ``error`` is its code when it failed. ``tool`` must be the name of an existing tool."""
        self._calls.labels(tool, status).inc()
        self._seconds.labels(tool).observe(duration_ms / 1000)
        if tokens:
            self._tokens.labels(tool).inc(tokens)
        if error:
            self._errors.labels(error).inc()

    def count_decision(self, decision: str, risk: str) -> None:
        """A policy decision: allow, ask or deny, at this risk."""
        self._decisions.labels(decision, risk).inc()

    def count_approval(self, answer: str, channel: str) -> None:
        """An approval request ended, by a decision on this channel or without one (``none``)."""
        self._approvals.labels(answer, channel if channel in APPROVAL_CHANNELS else "other").inc()

    def add_gauge(self, name: str, description: str, read: Callable[[], float]) -> None:
        """A value that is read on each scrape: sessions, clients, memory. ``name`` is without our prefix."""
        Gauge(f"browser_pilot_{name}", description, registry=self._registry).set_function(read)

    def render(self) -> bytes:
        """The text for a scrape. Call it in a thread: it may read the memory of many processes."""
        return generate_latest(self._registry)
