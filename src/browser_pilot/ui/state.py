"""What people are shown of the hub's work, and their answers to its questions: the same for every page that shows it.

The side panel and the dashboard both stand on this. It knows neither of them, nor how they reach the hub: whoever calls
has made sure that a person asks.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import cast, get_args

from .approvals.questions import Choice, Question
from .approvals.queue import ApprovalQueue
from .approvals.words import what
from .bridge.wire import Json
from .errors import InvalidArgument
from .policy.budgets import Budgets
from .policy.rules import Ruleset
from .records.activity import ActivityLog
from .records.reading import Action, Query
from .records.redaction import Json as Value
from .sessions.registry import SessionRegistry

CHOICES: tuple[Choice, ...] = get_args(Choice)
MOST_ACTIONS = 60
SHOWN = (
    "id kind time_ms client tool site url status duration_ms error decision rule risk arguments summary details by"
).split()


class Overview:
    """``rules`` gives those in force."""

    def __init__(
        self,
        *,
        approvals: ApprovalQueue,
        sessions: SessionRegistry,
        budgets: Budgets,
        rules: Callable[[], Ruleset],
        log: ActivityLog,
    ) -> None:
        self._approvals = approvals
        self._sessions = sessions
        self._budgets = budgets
        self._rules = rules
        self._log = log

    def questions(self) -> list[Json]:
        return [question_data(question) for question in self._approvals.pending]

    def agents(self) -> list[Json]:
        budget = self._rules().defaults.step_budget
        return [
            {
                "name": session.client.name,
                "session": session.id,
                "engine": session.engine,
                "steps": self._budgets.used(f"session {session.id}"),
                "budget": budget,
                "tabs": [{"id": tab.id, "url": tab.page.url} for tab in session.tabs()],
            }
            for session in self._sessions
        ]

    async def activity(self, params: Json) -> Json:
        """The latest actions that fit, newest first; nothing but the row's number when nothing is new."""
        text = str(params.get("text", "")) or None
        status = str(params.get("status", "")) or None
        seen = params.get("seen")

        def read() -> Json:
            reader = self._log.reader()
            last = reader.last_seq()
            if last == seen:
                return {"last": last}
            found = reader.search(Query(text=text, status=status, limit=MOST_ACTIONS))
            return {"last": last, "actions": [_action_data(action) for action in reversed(found)]}

        return await asyncio.to_thread(read)

    def answer(self, params: Json, *, door: str) -> Json:
        choice = params.get("choice")
        if choice not in CHOICES:
            raise InvalidArgument("This is no answer.", suggestions=[f"Choices: {', '.join(CHOICES)}."])
        given = self._approvals.answer(str(params.get("id", "")), choice, door=door)
        return {"choice": given.choice}

    def picture(self, params: Json) -> Json:
        found = (one.matter.picture for one in self._approvals.pending if one.id == params.get("id"))
        picture = next(found, None)
        return {"png": None if picture is None else base64.b64encode(picture).decode()}


def question_data(question: Question) -> Json:
    matter = question.matter
    return {
        "id": question.id,
        "client": matter.client,
        "client_name": matter.client_name,
        "session": matter.session,
        "tool": matter.tool,
        "what": matter.what,
        "site": matter.site,
        "element": matter.element,
        "values": dict(matter.values),
        "steps": list(matter.steps),
        "about": matter.about,
        "risk": matter.risk,
        "reason": matter.reason,
        "rule": matter.rule,
        "choices": list(matter.choices),
        "labels": dict(matter.labels or {}),
        "picture": f"/api/approvals/{question.id}/picture" if matter.picture is not None else None,
        "asked_at": question.asked_at,
        "expires_at": question.expires_at,
    }


def _action_data(action: Action) -> Json:
    flat = action.flat()
    return {
        **{name: flat.get(name) for name in SHOWN},
        "what": _words(flat),
        "ended": action.outcome is not None,
    }


def _words(flat: dict[str, Value]) -> str:
    tool, url = str(flat.get("tool") or ""), flat.get("url")
    if tool == "browser_navigate" and url:
        return f"Open {url}"
    written = flat.get("what") or flat.get("text")
    return str(written) if written else what(tool, cast("dict[str, object]", flat.get("arguments") or {}))
