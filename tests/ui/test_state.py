"""The activity that the user interfaces show."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditIntent, AuditNote, AuditOutcome
from browser_pilot.policy.budgets import Budgets
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.ui.state import UiState
from tests.config.fixed_config import FixedConfig


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[AuditLog]:
    log = AuditLog(tmp_path, Redactor())
    assert await log.start() is None
    yield log
    await log.close()


def state_of(log: AuditLog) -> UiState:
    return UiState(sessions=cast("Any", ()), budgets=Budgets(), config=FixedConfig(), log=log)


async def test_activity_lists_the_newest_first_and_only_when_there_is_something_new(log: AuditLog) -> None:
    state = state_of(log)
    intent = AuditIntent(
        client="c1",
        session="s1",
        tool="browser_navigate",
        effect="navigate",
        arguments={},
        url="https://shop.example/",
        site="https://shop.example",
        decision="allow",
        rule="policy.mode",
    )
    await log.outcome(await log.intent(intent), AuditOutcome("ok", 12.0))
    await log.note(AuditNote("The dashboard was opened.", by="user"))
    activity = await state.activity({})
    assert [action["what"] for action in activity["actions"]] == [
        "The dashboard was opened.",
        "Open https://shop.example/",
    ]
    assert await state.activity({"seen": activity["last"]}) == {"last": activity["last"]}
    found = await state.activity({"text": "no such text"})
    assert found["actions"] == []
