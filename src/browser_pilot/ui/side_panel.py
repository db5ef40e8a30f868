"""What the side panel shows and what its user does there, over the paired bridge. The hub's end of it.

Only the extension's own pages can ask here: the bridge has proved whose browser it is, and no agent can open those
pages. So an answer that comes this way is a person's. While a browser is connected its user can be asked: the badge on
the extension's button shows what waits, whether the panel is open or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

from .. import __version__
from ..approvals.queue import ApprovalQueue, Subscription
from ..approvals.rules_store import RulesStore
from ..bridge.bridge import Bridge
from ..bridge.wire import Json
from ..errors import InvalidArgument
from ..overview import Overview
from ..policy.rules import Ruleset
from ..sessions.registry import SessionRegistry
from .picking import Picking
from .site_rules import SiteRules

DOOR = "side panel"


class Panel:
    """``rules`` gives those in force; ``reload`` takes over what was changed in ``rules_store``."""

    def __init__(
        self,
        *,
        bridge: Bridge,
        overview: Overview,
        approvals: ApprovalQueue,
        sessions: SessionRegistry,
        rules: Callable[[], Ruleset],
        rules_store: RulesStore,
        reload: Callable[[], object],
    ) -> None:
        self._bridge = bridge
        self._overview = overview
        self._approvals = approvals
        self._sessions = sessions
        self._site_rules = SiteRules(rules_store, rules=rules, changed=reload)
        self._picking = Picking(bridge, sessions)
        self._watching: asyncio.Task[None] | None = None
        self._asks: dict[str, Callable[[str, Json], Awaitable[Json]]] = {
            "state": self._state,
            "activity": self._activity,
            "answer": self._answer,
            "picture": self._picture,
            "policy": self._policy,
            "picked": self._picking.take,
        }

    async def answer(self, browser: str, name: str, params: Json) -> Json:
        ask = self._asks.get(name)
        if ask is None:
            raise InvalidArgument(f"The hub knows no question {name!r}.", suggestions=["Update Browser Pilot."])
        return await ask(browser, params)

    def waiting(self) -> list[Json]:
        return [
            {
                "id": question.id,
                "what": question.matter.what,
                "site": question.matter.site,
                "client": question.matter.client_name,
                "risk": question.matter.risk,
            }
            for question in self._approvals.pending
        ]

    def present(self, *, anyone: bool) -> None:
        """While a browser is connected, its user counts as someone who can be asked."""
        if anyone and self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        elif not anyone and self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def stopped(self) -> None:
        """No to everything that agents in the user's own browsers wait for."""
        own = {session.id for session in self._sessions if session.engine == "own"}
        for question in self._approvals.pending:
            if question.matter.session in own:
                self._approvals.answer(question.id, "deny", door="Stop")

    async def _watch(self) -> None:
        with ExitStack() as stack:
            subscription: Subscription = stack.enter_context(self._approvals.subscribe())
            while await subscription.next() is not None:
                self._bridge.tell_news()

    async def _state(self, browser: str, params: Json) -> Json:
        return {
            "hub": __version__,
            "name": self._bridge.name_of(browser),
            "mode": self._bridge.mode,
            "halted": self._bridge.halted(browser),
            "questions": self._overview.questions(),
            "site": self._site_rules.describe(str(params.get("url", ""))),
            "agents": self._overview.agents(),
            "tabs": [
                {"id": tab.id, "kind": tab.kind, "agent": tab.agent, "since": tab.since}
                for tab in self._bridge.tabs_of(browser)
            ],
        }

    async def _activity(self, _: str, params: Json) -> Json:
        return await self._overview.activity(params)

    async def _answer(self, _: str, params: Json) -> Json:
        return self._overview.answer(params, door=DOOR)

    async def _picture(self, _: str, params: Json) -> Json:
        return self._overview.picture(params)

    async def _policy(self, _: str, params: Json) -> Json:
        url = str(params.get("url", ""))
        self._site_rules.change(url, str(params.get("level", "")))
        return {"site": self._site_rules.describe(url)}
