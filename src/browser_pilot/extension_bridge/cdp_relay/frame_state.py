"""What Playwright was told of a tab's frames and requests, so that after a time without the debugger it can be told the
rest. Pure.

A frame that Playwright knows must not be told of as new, or its driver fails; one too few does less harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .wire import Json

UNSEEN = "not followed to its end"

Event = tuple[str, Json]


@dataclass(eq=False, slots=True)
class Told:
    """``frames`` are the documents of all frames, by frame; ``requests`` those under way, with their document."""

    frames: dict[str, str] = field(default_factory=dict[str, str])
    requests: dict[str, str] = field(default_factory=dict[str, str])

    def clear(self) -> None:
        self.frames.clear()
        self.requests.clear()

    def note(self, method: str, params: Json) -> None:
        """An event was passed on."""
        match method:
            case "Network.requestWillBeSent":
                self.requests[params["requestId"]] = str(params.get("loaderId", ""))
            case "Network.loadingFinished" | "Network.loadingFailed":
                self.requests.pop(params["requestId"], None)
            case "Page.frameNavigated":
                self._navigated(params["frame"])
            case "Page.frameAttached":
                self.frames.setdefault(params["frameId"], "")
            case "Page.frameDetached" if params.get("reason") != "swap":
                self.frames.pop(params["frameId"], None)
            case "Target.attachedToTarget":
                self.frames.setdefault(params["targetInfo"]["targetId"], "")
            case _:
                pass

    def note_tree(self, tree: Json) -> None:
        """A frame tree was passed on."""
        self.frames |= {frame["id"]: str(frame["loaderId"]) for frame in _frames(tree)}

    def missed(self, tree: Json) -> list[Event]:
        """The events that would have told what is there now, had anyone listened; they count as told."""
        events: list[Event] = [
            ("Network.loadingFailed", {"requestId": one, "timestamp": 0, "type": "Other", "errorText": UNSEEN})
            for one in self.requests
        ]
        if self.frames.get(tree["frame"]["id"]) != tree["frame"]["loaderId"]:
            self.clear()
        for frame in _frames(tree):
            if "parentId" in frame and frame["id"] not in self.frames:
                events.append(("Page.frameAttached", {"frameId": frame["id"], "parentFrameId": frame["parentId"]}))
            if self.frames.get(frame["id"]) != frame["loaderId"]:
                events.append(("Page.frameNavigated", {"frame": frame, "type": "Navigation"}))
        self.requests.clear()
        self.note_tree(tree)
        return events

    def _navigated(self, frame: Json) -> None:
        loader = str(frame["loaderId"])
        if "parentId" not in frame:
            self.frames.clear()
            self.requests = {one: document for one, document in self.requests.items() if document == loader}
        self.frames[frame["id"]] = loader


def _frames(tree: Json) -> Iterator[Json]:
    yield tree["frame"]
    for child in tree.get("childFrames", []):
        yield from _frames(child)
