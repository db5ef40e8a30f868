"""Login sessions of the dashboard, each identified by a cookie and a key. Pure: the time is passed in.

The cookie alone is not enough. Browsers send cookies to every port of a host, so any other server on this machine sees
it; the key is stored where only pages of the hub's own origin can read it. Sessions live in memory: they end with the
hub, when they expire, or when the user signs out.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

TTL_SECONDS = 12 * 3600.0
MAX_SESSIONS = 50


@dataclass(frozen=True)
class LoginSession:
    cookie: str
    key: str
    expires: float

    def __repr__(self) -> str:
        return f"LoginSession(expires={self.expires})"


class LoginSessions:
    def __init__(self) -> None:
        self._sessions: dict[str, LoginSession] = {}

    def open(self, now: float) -> LoginSession:
        """A new session. The oldest one ends when there are too many."""
        session = LoginSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32), now + TTL_SECONDS)
        self._sessions[session.cookie] = session
        while len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def is_open(self, cookie: str, now: float) -> bool:
        return self._current(cookie, now) is not None

    def find(self, cookie: str, key: str, now: float) -> LoginSession | None:
        """The session that has both this cookie and this key."""
        session = self._current(cookie, now)
        return session if session is not None and hmac.compare_digest(session.key.encode(), key.encode()) else None

    def close(self, session: LoginSession) -> None:
        self._sessions.pop(session.cookie, None)

    def _current(self, cookie: str, now: float) -> LoginSession | None:
        session = self._sessions.get(cookie)
        if session is not None and now >= session.expires:
            self.close(session)
            return None
        return session
