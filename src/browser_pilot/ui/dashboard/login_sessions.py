"""Who has the dashboard open: visits, each known by a cookie and a key. Pure: the time is passed in.

The cookie alone is not enough. Browsers send cookies to every port of a host, so that whatever else listens on this
machine sees it; the key is kept where only pages of the hub's own origin can read it. Visits live in memory: they end
with the hub, when their time is over, or when the user signs out.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

LIFE_SECONDS = 12 * 3600.0
MOST = 50


@dataclass(frozen=True)
class Visit:
    cookie: str
    key: str
    expires: float

    def __repr__(self) -> str:
        return f"Visit(expires={self.expires})"


class Visits:
    def __init__(self) -> None:
        self._open: dict[str, Visit] = {}

    def open(self, now: float) -> Visit:
        """A new one; where there are too many, the oldest ends."""
        visit = Visit(secrets.token_urlsafe(32), secrets.token_urlsafe(32), now + LIFE_SECONDS)
        self._open[visit.cookie] = visit
        while len(self._open) > MOST:
            del self._open[next(iter(self._open))]
        return visit

    def is_open(self, cookie: str, now: float) -> bool:
        return self._current(cookie, now) is not None

    def find(self, cookie: str, key: str, now: float) -> Visit | None:
        """The visit that both belong to."""
        visit = self._current(cookie, now)
        return visit if visit is not None and hmac.compare_digest(visit.key.encode(), key.encode()) else None

    def close(self, visit: Visit) -> None:
        self._open.pop(visit.cookie, None)

    def _current(self, cookie: str, now: float) -> Visit | None:
        visit = self._open.get(cookie)
        if visit is not None and now >= visit.expires:
            self.close(visit)
            return None
        return visit
