"""Ids of objects hold for one attachment of the debugger, so that none ever means another object."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.bridge.handles import Handles

REMOTE = {"type": "object", "objectId": "7.3.1"}


@pytest.mark.parametrize(
    "answer", [{"result": REMOTE}, {"object": REMOTE}, {"result": [{"name": "0", "value": REMOTE}]}]
)
def test_an_id_holds_until_the_debugger_is_attached_anew(answer: dict[str, Any]) -> None:
    handles = Handles()
    (given,) = handles.sealed(answer).values()
    handle = (given if "objectId" in given else given[0]["value"])["objectId"]
    assert handles.opened({"objectId": handle}) == {"objectId": "7.3.1"}
    assert handles.opened({"arguments": [{"value": 1}, {"objectId": handle}]}) == {
        "arguments": [{"value": 1}, {"objectId": "7.3.1"}]
    }
    handles.renew()
    assert handles.opened({"objectId": handle}) is None
    assert handles.opened({"arguments": [{"value": 1}, {"objectId": handle}]}) is None


@pytest.mark.parametrize(
    "answer", [None, {}, {"result": {"type": "string", "value": "x"}}, {"result": []}, {"data": "x"}]
)
def test_answers_without_objects_are_passed_on_as_they_are(answer: object) -> None:
    assert Handles().sealed(answer) == answer


def test_ids_that_came_with_an_event_are_passed_on_as_they_are() -> None:
    assert Handles().opened({"objectId": "7.3.1", "depth": 1}) == {"objectId": "7.3.1", "depth": 1}
