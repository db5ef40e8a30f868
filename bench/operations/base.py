"""Types of an operation: its inputs (``Participant``, ``RunContext``) and its ``Measurement``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bench.competitors.base import Competitor, Session
from bench.coverage import Reference
from bench.rpc import CallFailed, TimedResult
from bench.server import Site
from bench.tokens import Counter
from bench.workspace import Workspace

Unit = Literal["ms", "ms and tokens", "tokens", "MB", "processes", "share"]


@dataclass(frozen=True, slots=True)
class RunContext:
    """Values that all competitors of a run share."""

    site: Site
    count: Counter
    references: Mapping[str, Reference]


@dataclass(slots=True)
class Participant:
    """A competitor with its workspace and its session for the whole run. The session starts on first use."""

    competitor: Competitor
    workspace: Workspace = field(default_factory=Workspace.create)
    _session: Session | None = None

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = self.competitor.start(self.workspace)
        return self._session

    def reset(self) -> None:
        """Creates a new workspace after a failure, so that a hanging process does not affect the next measurement."""
        self.close()
        self.workspace = Workspace.create()

    def close(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                session.close()
        finally:
            self.workspace.close()


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value of one operation; ``operation`` is its key in ``titles``."""

    operation: str
    ms: float | None = None
    tokens: int | None = None
    amount: float | None = None
    subject: str = ""


Run = Callable[[Participant, RunContext, str], Iterator[Measurement]]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation and its rows. ``titles`` has an entry for each key that ``run`` may yield."""

    key: str
    titles: Mapping[str, tuple[str, Unit]]
    run: Run
    subjects: tuple[str, ...] = ("",)
    max_rounds: int | None = None


def expect(result: TimedResult, text: str) -> None:
    """Raises if the text is missing: a wrong result is a failure, not a fast time."""
    if text not in result.text:
        raise CallFailed(f"expected {text!r}, read {result.text[:200]!r}")
