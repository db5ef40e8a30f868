"""Which errors lead to another attempt at a call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from browser_pilot.config.settings import Settings
from browser_pilot.errors import ElementChanged, PilotError, StaleRef
from browser_pilot.gateway import ToolCall
from browser_pilot.gateway.retries import InspectAgain, next_attempt, outdated_inspection
from browser_pilot.page.actions.scripts.side_effect_free import PossibleSideEffect
from browser_pilot.page.actions.target_facts import TargetSpec
from browser_pilot.page.downloads.transfers import ExecutableFile
from browser_pilot.sessions.client import Client

CALL = ToolCall(
    client=Client("c1", Settings()),
    tool="browser_click",
    effect="write",
    arguments={},
    timeout_ms=1_000,
    targets=(TargetSpec("text=Save"),),
)
BY_REF = replace(CALL, targets=(TargetSpec("e1"),))
BY_BOTH = replace(CALL, targets=(TargetSpec("text=Save"), TargetSpec("e1")))
WITHOUT_TARGETS = replace(CALL, targets=())


@pytest.mark.parametrize(
    ("call", "error", "sent", "again"),
    [
        (CALL, ElementChanged("changed"), False, CALL),
        (BY_REF, ElementChanged("changed"), True, BY_REF),  # the guard in the page stopped the input
        (CALL, StaleRef("gone"), False, CALL),
        (CALL, StaleRef("gone"), True, None),
        (BY_REF, StaleRef("gone"), False, None),
        (BY_BOTH, StaleRef("gone"), False, None),
        (WITHOUT_TARGETS, StaleRef("gone"), False, None),
        (CALL, ExecutableFile("exe"), False, replace(CALL, executable="exe")),
        (CALL, PossibleSideEffect(), False, replace(CALL, has_side_effects=True)),
    ],
    ids=lambda value: value.code if isinstance(value, PilotError) else None,
)
def test_another_attempt_is_made_only_where_nothing_can_have_happened(
    call: ToolCall, error: PilotError, sent: bool, again: ToolCall | None
) -> None:
    assert next_attempt(call, error, sent=sent) == again


def test_an_error_without_another_attempt_is_raised_as_it_is() -> None:
    gone = StaleRef("gone")
    with pytest.raises(StaleRef) as raised, outdated_inspection(BY_REF):
        raise gone
    assert raised.value is gone


def test_another_attempt_keeps_the_error_for_the_last_one() -> None:
    gone = StaleRef("gone")
    with pytest.raises(InspectAgain) as raised, outdated_inspection(CALL):
        raise gone
    assert (raised.value.error, raised.value.call) == (gone, CALL)
