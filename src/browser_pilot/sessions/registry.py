"""The sessions of all clients: a client sees only its own, one of which is current.

A client that names no session gets one, created when first needed. A client's sessions are closed when it disconnects,
and each one after a time without use.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from browser_pilot.config.settings import EngineName, SessionSettings
from browser_pilot.engines.engine import Engine
from browser_pilot.errors import NoSession, SessionLimit
from browser_pilot.page.downloads.transfers import DownloadList
from browser_pilot.policy.rules import Ruleset

from .client import Client
from .events import SessionEvents
from .options import SessionOptions, context_request, context_request_with_options
from .profiles import Profiles
from .session import Session, SessionHost
from .session_ids import new_session_id
from .slots import SessionSlots

MAX_CLOSED_IDS = 100
CLOSE_TIMEOUT_SECONDS = 6.0


@dataclass
class _ClientSessions:
    """One client's sessions and downloads. ``closed`` explains ids of former sessions that it may still use."""

    downloads: DownloadList
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    current: str | None = None
    closed: dict[str, str] = field(default_factory=dict[str, str])


class SessionRegistry:
    """``rules_for`` returns a session's current rules each time it is called."""

    def __init__(
        self,
        engine: Engine,
        rules_for: Callable[[str], Ruleset],
        *,
        slots: SessionSlots,
        settings: Callable[[], SessionSettings],
        profiles: Profiles,
        events: SessionEvents,
    ) -> None:
        self.profiles = profiles
        self._engine = engine
        self._rules_for = rules_for
        self._slots = slots
        self._settings = settings
        self.events = events
        self._clients: dict[str, _ClientSessions] = {}

    def __len__(self) -> int:
        return sum(len(own.sessions) for own in self._clients.values())

    def __iter__(self) -> Iterator[Session]:
        return iter([session for own in self._clients.values() for session in own.sessions.values()])

    def find(self, client: Client, session_id: str | None, tab_id: str | None = None) -> Session:
        """The named session, the one that has the tab, or the current one, created if there is none."""
        own = self._sessions_of(client)
        if session_id is not None:
            return self._named(own, session_id)
        current = own.sessions.get(own.current or "")
        if tab_id is not None and (current is None or not current.has_tab(tab_id)):
            for session in own.sessions.values():
                if session.has_tab(tab_id):
                    return session
        if current is None:
            current = self._add(client, self._make(client, None))
        return current

    def background_session(self, client: Client, engine: EngineName) -> Session:
        """The client's session in an engine, for guests that act on its behalf: created if needed, never current."""
        own = self._sessions_of(client)
        current = own.sessions.get(own.current or "")
        for session in ([current] if current else []) + list(own.sessions.values()):
            if session.engine == engine:
                return session
        session = self._make(client, SessionOptions(engine=engine))
        own.sessions[session.id] = session
        return session

    def of(self, client: Client) -> list[Session]:
        return list(self._sessions_of(client).sessions.values())

    def take_notices(self, client: Client) -> list[str]:
        """New notices about a client's tabs, such as dismissed dialogs; each is returned once."""
        return [notice for session in self.of(client) for notice in session.take_notices()]

    def current_of(self, client: Client) -> str | None:
        return self._sessions_of(client).current

    def plan(self, client: Client, options: SessionOptions) -> Session:
        """Create a session without a browser that is not yet registered."""
        return self._make(client, options)

    async def add(self, client: Client, session: Session, *, wait_seconds: float) -> None:
        """Open a planned session and make it the client's current one."""
        await session.open(wait_seconds=wait_seconds)
        self._add(client, session)

    def use(self, client: Client, session_id: str) -> Session:
        own = self._sessions_of(client)
        session = self._named(own, session_id)
        own.current = session.id
        return session

    async def close_session(self, session: Session, *, why: str = "was closed") -> None:
        own = self._sessions_of(session.client)
        if own.sessions.pop(session.id, None) is None:
            return
        if own.current == session.id:
            own.current = next(reversed(own.sessions), None)
        own.closed[session.id] = why
        if len(own.closed) > MAX_CLOSED_IDS:
            own.closed.pop(next(iter(own.closed)))
        await session.close()
        await self.events.closed(session.id)

    async def close_idle(self) -> None:
        """Close sessions that were not used for the time in the settings, except in the user's Chrome."""
        minutes = self._settings().idle_minutes
        before = time.monotonic() - minutes * 60
        idle = [one for one in self if one.engine != "own" and not one.busy and one.last_used < before]
        for session in idle:
            await self.close_session(session, why=f"was closed after {minutes:g} minutes without use")

    def downloads_of(self, client: Client) -> DownloadList:
        return self._sessions_of(client).downloads

    def ids_of(self, client: Client) -> list[str]:
        own = self._clients.get(client.id)
        return [] if own is None else list(own.sessions)

    async def close_client(self, client: Client) -> None:
        own = self._clients.pop(client.id, None)
        if own is not None:
            await asyncio.gather(*(session.close() for session in own.sessions.values()))

    async def close(self) -> None:
        """At the hub's shutdown: does not wait for a session that is being restored, as its browser is ended anyway."""
        sessions = list(self)
        self._clients.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                await asyncio.gather(*(session.close() for session in sessions))

    def _sessions_of(self, client: Client) -> _ClientSessions:
        if client.id not in self._clients:
            self._clients[client.id] = _ClientSessions(DownloadList(partial(self.events.transfer_ended, client)))
        return self._clients[client.id]

    def _add(self, client: Client, session: Session) -> Session:
        own = self._sessions_of(client)
        own.sessions[session.id] = session
        own.current = session.id
        return session

    def _named(self, own: _ClientSessions, session_id: str) -> Session:
        session = own.sessions.get(session_id)
        if session is None:
            known = ", ".join(own.sessions) or "none"
            reason = own.closed.get(session_id)
            text = f"The session {session_id} {reason}." if reason else f"There is no session {session_id[:80]!r}."
            raise NoSession(text, suggestions=["Leave `session` out to use your current one.", f"Yours: {known}."])
        return session

    def _make(self, client: Client, options: SessionOptions | None) -> Session:
        session_id = new_session_id()
        settings, label = client.settings, client.name
        request = (
            context_request_with_options(settings, options, label=label)
            if options
            else context_request(settings, label=label)
        )
        host = SessionHost(
            engine=self._engine,
            rules=partial(self._rules_for, session_id),
            slots=self._slots,
            limit_error=partial(self._limit_error, client),
            on_tab_event=partial(self.events.tab_changed, client),
            downloads=self.downloads_of(client),
            handle_download=self.events.save_download,
        )
        return Session(session_id, client, request, host, options=options)

    def _limit_error(self, client: Client) -> SessionLimit:
        mine = [one for one in self.of(client) if one.is_open]
        others = sum(one.is_open for one in self) - len(mine)
        now = time.monotonic()
        idle = ", ".join(f"{one.id} (idle {now - one.last_used:.0f} s)" for one in mine)
        minutes = self._settings().idle_minutes
        close = f"Close one of yours (browser_session close): {idle}." if mine else "None of them is yours."
        return SessionLimit(
            f"All {self._settings().max} sessions are in use: {len(mine)} of yours, {others} of other clients.",
            suggestions=[
                close,
                f"Give `wait_ms` to wait for a free session: idle ones are closed after {minutes:g} minutes.",
                "Your user can raise sessions.max.",
            ],
        )
