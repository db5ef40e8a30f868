"""The bearer token of a home is created once and private."""

from __future__ import annotations

import stat
from pathlib import Path

from browser_pilot.hub_discovery.bearer_token import hub_token


def test_the_token_stays_the_same_and_is_private(tmp_path: Path) -> None:
    token = hub_token(tmp_path)
    assert len(token) >= 32 and hub_token(tmp_path) == token
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_a_token_that_is_too_short_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("short\n")
    token = hub_token(tmp_path)
    assert len(token) >= 32 and hub_token(tmp_path) == token
