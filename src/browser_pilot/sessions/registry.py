"""Who has which sessions: each client its own, one of them current; another client's are never found.

A client that does not care has one, made when first needed. All end when the client goes, and each when nobody has used
it for long.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from ..config import EngineName, SessionSettings
from ..engines.engine import Engine
from ..errors import NoSession, SessionLimit
from ..pages.tabs import TabNews
from ..pages.transfers import Shelf, Transfer
from ..policy.rules import Ruleset
from .client import Client
from .handles import new_handle
from .profiles import Profiles
from .session import Keep, Session
from .slots import Places
from .wishes import Wishes, context_request, wished_request

# Whose tab, which, and what is new about it.
TabListener: TypeAlias = Callable[[Client, str, TabNews], None]
# Whose download has come to its end, and which.
TransferListener: TypeAlias = Callable[[Client, Transfer], None]
EXPIRED_KEPT = 100
CLOSE_SECONDS = 6.0


@dataclass
class _Own:
    """The sessions of one client, and what they saved; ``expired`` are handles that it may still ask for."""

    shelf: Shelf
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    current: str | None = None
    expired: dict[str, str] = field(default_factory=dict[str, str])


class SessionRegistry:
    """``rules_for`` gives the rules in force for a session, whenever it is called."""

    def __init__(
        self,
        engine: Engine,
        rules_for: Callable[[str], Ruleset],
        *,
        places: Places,
        settings: Callable[[], SessionSettings],
        profiles: Profiles,
    ) -> None:
        self.profiles = profiles
        self._engine = engine
        self._rules_for = rules_for
        self._places = places
        self._settings = settings
        self._listeners: list[TabListener] = []
        self._closed_listeners: list[Callable[[str], Awaitable[None]]] = []
        self._transfer_listeners: list[TransferListener] = []
        self._keep: Keep | None = None
        self._clients: dict[str, _Own] = {}

    def __len__(self) -> int:
        return sum(len(own.sessions) for own in self._clients.values())

    def __iter__(self) -> Iterator[Session]:
        return iter([session for own in self._clients.values() for session in own.sessions.values()])

    def find(self, client: Client, session_id: str | None, tab_id: str | None = None) -> Session:
        """The named session, the one that has the tab, or the current one, which is made now if need be."""
        own = self._own(client)
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

    def aside(self, client: Client, engine: EngineName) -> Session:
        """A session of the client's in an engine, for what others do on its behalf: made if need be, never current."""
        own = self._own(client)
        current = own.sessions.get(own.current or "")
        for session in ([current] if current else []) + list(own.sessions.values()):
            if session.engine == engine:
                return session
        session = self._make(client, Wishes(engine=engine))
        own.sessions[session.id] = session
        return session

    def of(self, client: Client) -> list[Session]:
        return list(self._own(client).sessions.values())

    def current_of(self, client: Client) -> str | None:
        return self._own(client).current

    def plan(self, client: Client, wishes: Wishes) -> Session:
        """A new session, which is not the client's yet and has no browser."""
        return self._make(client, wishes)

    async def add(self, client: Client, session: Session, *, wait_seconds: float) -> None:
        """Open a planned session and make it the client's current one."""
        await session.open(wait_seconds=wait_seconds)
        self._add(client, session)

    def use(self, client: Client, session_id: str) -> Session:
        own = self._own(client)
        session = self._named(own, session_id)
        own.current = session.id
        return session

    async def close_session(self, session: Session, *, why: str = "was closed") -> None:
        own = self._own(session.client)
        if own.sessions.pop(session.id, None) is None:
            return
        if own.current == session.id:
            own.current = next(reversed(own.sessions), None)
        own.expired[session.id] = why
        if len(own.expired) > EXPIRED_KEPT:
            own.expired.pop(next(iter(own.expired)))
        await session.close()
        for forget in self._closed_listeners:
            await forget(session.id)

    async def close_idle(self) -> None:
        """Close what nobody has used for as long as the settings say. The user's own browser stays."""
        minutes = self._settings().idle_minutes
        before = time.monotonic() - minutes * 60
        idle = [one for one in self if one.engine != "own" and not one.busy and one.last_used < before]
        for session in idle:
            await self.close_session(session, why=f"was closed: nobody had used it for {minutes:g} minutes")

    def on_closed(self, listener: Callable[[str], Awaitable[None]]) -> None:
        """Told of each session that is closed while its client stays."""
        self._closed_listeners.append(listener)

    def on_tab_news(self, listener: TabListener) -> None:
        self._listeners.append(listener)

    def on_transfer_end(self, listener: TransferListener) -> None:
        self._transfer_listeners.append(listener)

    def keep_downloads(self, keep: Keep) -> None:
        """For sessions that are made from now on: who decides about the downloads that tabs set off."""
        self._keep = keep

    def shelf_of(self, client: Client) -> Shelf:
        return self._own(client).shelf

    def ids_of(self, client: Client) -> list[str]:
        own = self._clients.get(client.id)
        return [] if own is None else list(own.sessions)

    async def close_client(self, client: Client) -> None:
        own = self._clients.pop(client.id, None)
        if own is not None:
            await asyncio.gather(*(session.close() for session in own.sessions.values()))

    async def close(self) -> None:
        """At the hub's end, which waits for no session that is just being brought back: its browser goes anyway."""
        sessions = list(self)
        self._clients.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.gather(*(session.close() for session in sessions))

    def _own(self, client: Client) -> _Own:
        if client.id not in self._clients:
            self._clients[client.id] = _Own(Shelf(partial(self._tell_end, client)))
        return self._clients[client.id]

    def _add(self, client: Client, session: Session) -> Session:
        own = self._own(client)
        own.sessions[session.id] = session
        own.current = session.id
        return session

    def _named(self, own: _Own, session_id: str) -> Session:
        session = own.sessions.get(session_id)
        if session is None:
            known = ", ".join(own.sessions) or "none"
            what = own.expired.get(session_id)
            words = f"The session {session_id} {what}." if what else f"There is no session {session_id[:80]!r}."
            raise NoSession(words, suggestions=["Leave `session` out to use your current one.", f"Yours: {known}."])
        return session

    def _make(self, client: Client, wishes: Wishes | None) -> Session:
        session_id = new_handle()
        settings, label = client.settings, client.name
        wished = wishes or Wishes()
        return Session(
            session_id,
            client,
            self._engine,
            wished_request(settings, wishes, label=label) if wishes else context_request(settings, label=label),
            partial(self._rules_for, session_id),
            tell=partial(self._tell, client),
            places=self._places,
            full=partial(self._full, client),
            state=wished.state,
            profile=wished.profile,
            timeout_ms=wished.timeout_ms,
            shelf=self.shelf_of(client),
            **({} if self._keep is None else {"keep": self._keep}),
        )

    def _full(self, client: Client) -> SessionLimit:
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
                f"Give `wait_ms` to wait for a place: idle ones are closed after {minutes:g} minutes.",
                "Your user can raise sessions.max.",
            ],
        )

    def _tell_end(self, client: Client, transfer: Transfer) -> None:
        for listener in self._transfer_listeners:
            listener(client, transfer)

    def _tell(self, client: Client, tab_id: str, news: TabNews) -> None:
        for listener in self._listeners:
            listener(client, tab_id, news)
