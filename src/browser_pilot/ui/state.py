"""The hub's state as users see it: the agents at work and the audit log. The side panel and the dashboard share it.

It depends on neither of them, nor on how they reach the hub. Callers have authenticated the user.
"""

from __future__ import annotations

import asyncio
from typing import cast

from browser_pilot.approvals.descriptions import describe_action
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.reader import AuditedAction, AuditQuery
from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.json_types import Json, JsonObject
from browser_pilot.policy.budgets import Budgets, client_account
from browser_pilot.sessions.registry import SessionRegistry

MAX_ACTIONS = 60
ACTION_FIELDS = (
    "id kind time_ms client tool site url status duration_ms error decision rule risk approval grant arguments summary "
    "details by run step steps"
).split()


class UiState:
    def __init__(self, *, sessions: SessionRegistry, budgets: Budgets, config: CurrentConfig, log: AuditLog) -> None:
        self._sessions = sessions
        self._budgets = budgets
        self._config = config
        self._log = log

    def agents(self) -> list[JsonObject]:
        budget = self._config.rules.defaults.step_budget
        return [
            {
                "name": session.client.name,
                "session": session.id,
                "client_id": session.client_id,
                "engine": session.engine,
                "steps": self._budgets.used(client_account(session.client.identity)),
                "budget": budget,
                "tabs": [{"id": tab.id, "url": tab.page.url} for tab in session.tabs()],
            }
            for session in self._sessions
        ]

    async def activity(self, params: JsonObject) -> JsonObject:
        """The latest matching actions, newest first. Only the last sequence number when ``seen`` is that number."""
        text = str(params.get("text", "")) or None
        status = str(params.get("status", "")) or None
        seen = params.get("seen")

        def read() -> JsonObject:
            reader = self._log.reader()
            last = reader.last_seq()
            if last == seen:
                return {"last": last}
            found = reader.search(AuditQuery(text=text, status=status, limit=MAX_ACTIONS))
            return {"last": last, "actions": [_action_data(action) for action in reversed(found)]}

        return await asyncio.to_thread(read)


def _action_data(action: AuditedAction) -> JsonObject:
    flat = action.flat()
    return {
        **{name: flat.get(name) for name in ACTION_FIELDS},
        "what": _description(flat),
        "ended": action.outcome is not None,
    }


def _description(flat: dict[str, Json]) -> str:
    tool, url = str(flat.get("tool") or ""), flat.get("url")
    if tool == "browser_navigate" and url:
        return f"Open {url}"
    written = flat.get("what") or flat.get("text")
    return str(written) if written else describe_action(tool, cast("dict[str, object]", flat.get("arguments") or {}))
