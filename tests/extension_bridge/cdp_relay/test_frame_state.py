"""The events that Playwright gets after a reattach."""

from __future__ import annotations

from typing import Any

from browser_pilot.extension_bridge.cdp_relay.frame_state import FrameState


def frame(id_: str, loader: str, parent: str | None = None) -> dict[str, Any]:
    return {"id": id_, "loaderId": loader} | ({} if parent is None else {"parentId": parent})


def tree(*frames: dict[str, Any]) -> dict[str, Any]:
    """The first frame is the parent of all others."""
    return {"frame": frames[0], "childFrames": [{"frame": one} for one in frames[1:]]}


def names(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    return [
        (name, params.get("frameId") or params.get("requestId") or params["frame"]["id"]) for name, params in events
    ]


def test_an_unchanged_page_needs_no_events() -> None:
    state = FrameState()
    state.record_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    assert state.missed_events(tree(frame("main", "1"), frame("child", "2", "main"))) == []


def test_a_new_document_is_reported_with_all_its_frames() -> None:
    state = FrameState()
    state.record_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    missed = names(state.missed_events(tree(frame("main", "9"), frame("child", "2", "main"))))
    assert missed == [
        ("Page.frameNavigated", "main"),
        ("Page.frameAttached", "child"),
        ("Page.frameNavigated", "child"),
    ]


def test_new_and_navigated_frames_are_reported_and_known_ones_never_as_new() -> None:
    state = FrameState()
    state.record_tree(tree(frame("main", "1")))
    state.record_event("Page.frameAttached", {"frameId": "known", "parentFrameId": "main"})
    state.record_event("Target.attachedToTarget", {"targetInfo": {"targetId": "elsewhere"}})
    now = tree(*(frame(id_, "2" if id_ != "main" else "1", "main") for id_ in ("main", "known", "elsewhere", "new")))
    del now["frame"]["parentId"]
    assert names(state.missed_events(now)) == [
        ("Page.frameNavigated", "known"),
        ("Page.frameNavigated", "elsewhere"),
        ("Page.frameAttached", "new"),
        ("Page.frameNavigated", "new"),
    ]
    assert state.missed_events(now) == []


def test_requests_whose_end_was_missed_are_reported_as_failed() -> None:
    state = FrameState()
    state.record_event("Network.requestWillBeSent", {"requestId": "old", "loaderId": "0"})
    state.record_event("Page.frameNavigated", {"frame": frame("main", "1")})
    for request in ("ended", "failed", "open"):
        state.record_event("Network.requestWillBeSent", {"requestId": request, "loaderId": "1"})
    state.record_event("Network.loadingFinished", {"requestId": "ended"})
    state.record_event("Network.loadingFailed", {"requestId": "failed"})
    assert names(state.missed_events(tree(frame("main", "1")))) == [("Network.loadingFailed", "open")]


def test_a_removed_frame_is_reported_as_new_when_it_returns() -> None:
    state = FrameState()
    state.record_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    state.record_event("Page.frameDetached", {"frameId": "child", "reason": "swap"})
    assert "child" in state.frames
    state.record_event("Page.frameDetached", {"frameId": "child", "reason": "remove"})
    assert names(state.missed_events(tree(frame("main", "1"), frame("child", "3", "main"))))[0] == (
        "Page.frameAttached",
        "child",
    )
