"""The attach state of a controlled tab: every event in every state; and the sessions that get an event."""

from __future__ import annotations

import pytest

from browser_pilot.extension_bridge.cdp_relay.controlled_tab import AttachEvent, AttachState, ControlledTab

UNATTACHED, ATTACHED, SUSPENDED = AttachState.UNATTACHED, AttachState.ATTACHED, AttachState.SUSPENDED
PATH = {
    UNATTACHED: (),
    ATTACHED: (AttachEvent.ATTACHED,),
    SUSPENDED: (AttachEvent.ATTACHED, AttachEvent.DETACHED),
}


def tab_in(state: AttachState = UNATTACHED) -> ControlledTab:
    tab = ControlledTab(id=7, kind="shared", since=0, opener=None, claimable=True, session="tab-7-1")
    for event in PATH[state]:
        assert tab.transition(event)
    assert tab.state is state
    return tab


@pytest.mark.parametrize(
    ("state", "event", "to"),
    [
        (UNATTACHED, AttachEvent.ATTACHED, ATTACHED),
        (UNATTACHED, AttachEvent.DETACHED, None),
        (UNATTACHED, AttachEvent.REATTACHED, None),
        (UNATTACHED, AttachEvent.RELEASED, None),
        (ATTACHED, AttachEvent.ATTACHED, None),
        (ATTACHED, AttachEvent.DETACHED, SUSPENDED),
        (ATTACHED, AttachEvent.REATTACHED, None),
        (ATTACHED, AttachEvent.RELEASED, UNATTACHED),
        (SUSPENDED, AttachEvent.ATTACHED, None),
        (SUSPENDED, AttachEvent.DETACHED, None),
        (SUSPENDED, AttachEvent.REATTACHED, ATTACHED),
        (SUSPENDED, AttachEvent.RELEASED, UNATTACHED),
    ],
)
def test_an_event_changes_the_state_or_is_too_late(
    state: AttachState, event: AttachEvent, to: AttachState | None
) -> None:
    tab = tab_in(state)
    assert tab.transition(event) is (to is not None)
    assert tab.state is (to or state)


def test_the_state_cannot_be_assigned() -> None:
    with pytest.raises(AttributeError):
        setattr(tab_in(), "state", ATTACHED)  # noqa: B010  pyright rejects the plain assignment


def test_a_disabled_domain_is_not_enabled_again_on_reattach() -> None:
    tab = tab_in(ATTACHED)
    tab.record_setup("Page.enable", {})
    tab.record_setup("Network.enable", {})
    tab.record_setup("Network.enable", {})
    tab.record_setup("Page.disable", {})
    assert tab.setup_commands == [("Network.enable", {})]


def test_an_event_goes_to_every_session_of_its_frame() -> None:
    tab = tab_in(ATTACHED)
    tab.aliases |= {"tab-7-1-1": None, "tab-7-1-2": "child"}
    assert tab.event_sessions(None, "Page.frameNavigated") == ["tab-7-1", "tab-7-1-1"]
    assert tab.event_sessions("child", "Page.frameNavigated") == ["child", "tab-7-1-2"]


def test_a_paused_request_goes_only_to_the_session_that_intercepts() -> None:
    tab = tab_in(ATTACHED)
    tab.aliases["tab-7-1-1"] = None
    tab.fetch_session = "tab-7-1-1"
    assert tab.event_sessions(None, "Fetch.requestPaused") == ["tab-7-1-1"]
