"""Object ids are valid for one attachment of the debugger, so that none ever names another object."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.extension_bridge.cdp_relay.remote_object_ids import RemoteObjectIds

REMOTE = {"type": "object", "objectId": "7.3.1"}


@pytest.mark.parametrize(
    "response", [{"result": REMOTE}, {"object": REMOTE}, {"result": [{"name": "0", "value": REMOTE}]}]
)
def test_an_id_is_valid_until_the_next_attach(response: dict[str, Any]) -> None:
    object_ids = RemoteObjectIds()
    (given,) = object_ids.tag_result(response).values()
    handle = (given if "objectId" in given else given[0]["value"])["objectId"]
    assert object_ids.untag_params({"objectId": handle}) == {"objectId": "7.3.1"}
    assert object_ids.untag_params({"arguments": [{"value": 1}, {"objectId": handle}]}) == {
        "arguments": [{"value": 1}, {"objectId": "7.3.1"}]
    }
    object_ids.start_attachment()
    assert object_ids.untag_params({"objectId": handle}) is None
    assert object_ids.untag_params({"arguments": [{"value": 1}, {"objectId": handle}]}) is None


@pytest.mark.parametrize(
    "response", [None, {}, {"result": {"type": "string", "value": "x"}}, {"result": []}, {"data": "x"}]
)
def test_responses_without_objects_are_not_changed(response: object) -> None:
    assert RemoteObjectIds().tag_result(response) == response


def test_ids_from_events_are_not_changed() -> None:
    assert RemoteObjectIds().untag_params({"objectId": "7.3.1", "depth": 1}) == {"objectId": "7.3.1", "depth": 1}
