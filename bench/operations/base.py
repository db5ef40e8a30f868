"""What an operation is given to work with, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..competitors.base import Competitor, Session
from ..coverage import Reference
from ..processes import Den
from ..rpc import Answer, CallFailed
from ..server import Site
from ..tokens import Counter

Unit = Literal["ms", "ms and tokens", "tokens", "MB", "processes", "share"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What all competitors share in a run."""

    site: Site
    count: Counter
    references: Mapping[str, Reference]


@dataclass(slots=True)
class Contestant:
    """A competitor with its den and the session that it keeps through the run. It starts on first use."""

    competitor: Competitor
    den: Den = field(default_factory=Den.create)
    _session: Session | None = None

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = self.competitor.start(self.den)
        return self._session

    def reset(self) -> None:
        """After a failure: a new den, so that nothing that hangs is carried into the next measurement."""
        self.leave()
        self.den = Den.create()

    def leave(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                session.close()
        finally:
            self.den.end()


@dataclass(frozen=True, slots=True)
class Measure:
    """A value of one operation; ``operation`` is its key in the table of titles."""

    operation: str
    ms: float | None = None
    tokens: int | None = None
    amount: float | None = None
    subject: str = ""


Run = Callable[[Contestant, Ground, str], Iterator[Measure]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to do, and what it measures. ``titles`` has a row for each key that ``run`` may yield."""

    key: str
    titles: Mapping[str, tuple[str, Unit]]
    run: Run
    subjects: tuple[str, ...] = ("",)
    most_rounds: int | None = None


def expect(answer: Answer, text: str) -> None:
    """A fast answer that is wrong is no result."""
    if text not in answer.text:
        raise CallFailed(f"expected {text!r}, read {answer.text[:200]!r}")
