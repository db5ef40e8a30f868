"""What a call wants to do, and for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..approvals.queue import Door
from ..pages.facts import Aim
from ..policy.vocabulary import STEPS, Effect
from ..sessions.client import Client


@dataclass(frozen=True)
class Intent:
    """``aims`` are the elements that it acts on; ``answers_dialog`` when it is about the dialog that is open."""

    client: Client
    tool: str
    effect: Effect
    arguments: Mapping[str, object]
    timeout_ms: int
    session: str | None = None
    tab: str | None = None
    doors: tuple[Door, ...] = ()
    aims: tuple[Aim, ...] = ()
    answers_dialog: bool = False

    @property
    def acts(self) -> bool:
        """Whether it does more than look."""
        return self.effect in STEPS
