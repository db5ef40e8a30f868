"""What Playwright is told after a time in which nobody listened."""

from __future__ import annotations

from typing import Any

from browser_pilot.bridge.told import Told


def frame(id_: str, loader: str, parent: str | None = None) -> dict[str, Any]:
    return {"id": id_, "loaderId": loader} | ({} if parent is None else {"parentId": parent})


def tree(*frames: dict[str, Any]) -> dict[str, Any]:
    """The first holds all others."""
    return {"frame": frames[0], "childFrames": [{"frame": one} for one in frames[1:]]}


def names(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    return [
        (name, params.get("frameId") or params.get("requestId") or params["frame"]["id"]) for name, params in events
    ]


def test_a_page_that_stayed_as_it_was_is_not_told_of_again() -> None:
    told = Told()
    told.note_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    assert told.missed(tree(frame("main", "1"), frame("child", "2", "main"))) == []


def test_a_new_document_is_told_of_with_all_its_frames() -> None:
    told = Told()
    told.note_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    missed = names(told.missed(tree(frame("main", "9"), frame("child", "2", "main"))))
    assert missed == [
        ("Page.frameNavigated", "main"),
        ("Page.frameAttached", "child"),
        ("Page.frameNavigated", "child"),
    ]


def test_frames_that_came_or_moved_on_are_told_of_and_known_ones_never_as_new() -> None:
    told = Told()
    told.note_tree(tree(frame("main", "1")))
    told.note("Page.frameAttached", {"frameId": "known", "parentFrameId": "main"})
    told.note("Target.attachedToTarget", {"targetInfo": {"targetId": "elsewhere"}})
    now = tree(*(frame(id_, "2" if id_ != "main" else "1", "main") for id_ in ("main", "known", "elsewhere", "new")))
    del now["frame"]["parentId"]
    assert names(told.missed(now)) == [
        ("Page.frameNavigated", "known"),
        ("Page.frameNavigated", "elsewhere"),
        ("Page.frameAttached", "new"),
        ("Page.frameNavigated", "new"),
    ]
    assert told.missed(now) == []


def test_requests_that_nobody_saw_end_are_over() -> None:
    told = Told()
    told.note("Network.requestWillBeSent", {"requestId": "old", "loaderId": "0"})
    told.note("Page.frameNavigated", {"frame": frame("main", "1")})
    for request in ("ended", "failed", "open"):
        told.note("Network.requestWillBeSent", {"requestId": request, "loaderId": "1"})
    told.note("Network.loadingFinished", {"requestId": "ended"})
    told.note("Network.loadingFailed", {"requestId": "failed"})
    assert names(told.missed(tree(frame("main", "1")))) == [("Network.loadingFailed", "open")]


def test_a_frame_that_left_is_new_when_it_is_there_again() -> None:
    told = Told()
    told.note_tree(tree(frame("main", "1"), frame("child", "2", "main")))
    told.note("Page.frameDetached", {"frameId": "child", "reason": "swap"})
    assert "child" in told.frames
    told.note("Page.frameDetached", {"frameId": "child", "reason": "remove"})
    assert names(told.missed(tree(frame("main", "1"), frame("child", "3", "main"))))[0] == (
        "Page.frameAttached",
        "child",
    )
