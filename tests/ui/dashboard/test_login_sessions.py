"""Login sessions of the dashboard: what identifies one, and when it ends."""

from __future__ import annotations

from browser_pilot.ui.dashboard.login_sessions import MAX_SESSIONS, TTL_SECONDS, LoginSessions


def test_a_session_expires_and_needs_its_cookie_and_key() -> None:
    sessions = LoginSessions()
    opened = sessions.open(0.0)
    assert sessions.find(opened.cookie, opened.key, TTL_SECONDS - 1) == opened
    assert sessions.find(opened.cookie, "another key", 1.0) is None
    assert sessions.find(opened.cookie, opened.key, TTL_SECONDS) is None
    assert not sessions.is_open(opened.cookie, 1.0), "an expired session stays expired"
    assert opened.key not in repr(opened)


def test_a_closed_session_is_no_longer_found() -> None:
    sessions = LoginSessions()
    first, second = sessions.open(0.0), sessions.open(0.0)
    sessions.close(first)
    assert sessions.find(first.cookie, first.key, 1.0) is None
    assert sessions.find(second.cookie, second.key, 1.0) == second


def test_too_many_sessions_end_the_oldest() -> None:
    sessions = LoginSessions()
    first, second = sessions.open(0.0), sessions.open(0.0)
    for _ in range(MAX_SESSIONS - 1):
        sessions.open(0.0)
    assert not sessions.is_open(first.cookie, 1.0)
    assert sessions.is_open(second.cookie, 1.0)
