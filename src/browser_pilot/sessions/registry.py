"""Who has which session: each client one of its own, made when first needed, closed when the client goes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ..config import Settings
from ..engines.engine import ContextRequest, Engine
from ..errors import NoSession
from ..pages.tabs import TabNews
from ..policy.rules import Ruleset
from .client import Client
from .session import Session

# Whose tab, which, and what is new about it.
TabListener: TypeAlias = Callable[[Client, str, TabNews], None]


class SessionRegistry:
    """``rules_for`` gives the rules in force for a session, whenever it is called."""

    def __init__(self, engine: Engine, rules_for: Callable[[str], Ruleset]) -> None:
        self._engine = engine
        self._rules_for = rules_for
        self._listeners: list[TabListener] = []
        self._default: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._default)

    def find(self, client: Client, session_id: str | None) -> Session:
        """The client's session: its own by default, made now if need be; another client's is never found."""
        session = self._default.get(client.id)
        if session is None:
            own_id = f"s{secrets.token_hex(8)}"
            session = Session(
                own_id,
                self._engine,
                context_request(client.settings, label=client.name),
                partial(self._rules_for, own_id),
                tell=partial(self._tell, client),
            )
            self._default[client.id] = session
        if session_id is not None and session_id != session.id:
            raise NoSession(
                f"There is no session {session_id!r}.", suggestions=["Leave `session` out to use your own."]
            )
        return session

    def on_tab_news(self, listener: TabListener) -> None:
        self._listeners.append(listener)

    def _tell(self, client: Client, tab_id: str, news: TabNews) -> None:
        for listener in self._listeners:
            listener(client, tab_id, news)

    def ids_of(self, client: Client) -> list[str]:
        session = self._default.get(client.id)
        return [] if session is None else [session.id]

    async def close_client(self, client: Client) -> None:
        session = self._default.pop(client.id, None)
        if session is not None:
            await session.close()

    async def close(self) -> None:
        sessions, self._default = list(self._default.values()), {}
        await asyncio.gather(*(session.close() for session in sessions))


def context_request(settings: Settings, *, label: str = "Browser Pilot") -> ContextRequest:
    browser = settings.browser
    return ContextRequest(
        engine=browser.engine,
        own_browser=browser.own_browser,
        label=label,
        executable=browser.executable,
        headless=browser.headless,
        args=browser.args,
        viewport=browser.viewport,
        user_data_dir=browser.user_data_dir,
        launch_timeout_ms=browser.launch_timeout_ms,
    )
