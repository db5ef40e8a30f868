"""Session ids are pronounceable, unguessable and not mistaken for secrets."""

from __future__ import annotations

import re

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.session_ids import new_session_id


def test_ids_are_syllables_and_differ() -> None:
    ids = {new_session_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"[a-z]{6}(-[a-z]{6}){3}", one) for one in ids)


def test_ids_are_not_redacted() -> None:
    redactor = Redactor()
    for session_id in (new_session_id() for _ in range(100)):
        assert redactor.text(f"session: {session_id}") == f"session: {session_id}"
