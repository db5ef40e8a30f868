"""Mirror of the frame tree and in-flight requests reported to Playwright; used to synthesize missed CDP events after a
reattach. Pure.

A frame that Playwright knows must not be reported as new, or its driver fails; a missing one does less harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from browser_pilot.json_types import JsonObject

NOT_OBSERVED = "not followed to its end"

CdpEvent = tuple[str, JsonObject]


@dataclass(eq=False, slots=True)
class FrameState:
    """``frames``: loader id by frame id. ``requests``: loader id by id of a request in flight."""

    frames: dict[str, str] = field(default_factory=dict[str, str])
    requests: dict[str, str] = field(default_factory=dict[str, str])

    def clear(self) -> None:
        self.frames.clear()
        self.requests.clear()

    def record_event(self, method: str, params: JsonObject) -> None:
        """An event was passed to Playwright."""
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

    def record_tree(self, tree: JsonObject) -> None:
        """A frame tree was passed to Playwright."""
        self.frames |= {frame["id"]: str(frame["loaderId"]) for frame in _frames(tree)}

    def missed_events(self, tree: JsonObject) -> list[CdpEvent]:
        """The events that lead from the recorded state to this tree; from now on they count as reported."""
        events: list[CdpEvent] = [
            ("Network.loadingFailed", {"requestId": one, "timestamp": 0, "type": "Other", "errorText": NOT_OBSERVED})
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
        self.record_tree(tree)
        return events

    def _navigated(self, frame: JsonObject) -> None:
        loader = str(frame["loaderId"])
        if "parentId" not in frame:
            self.frames.clear()
            self.requests = {one: document for one, document in self.requests.items() if document == loader}
        self.frames[frame["id"]] = loader


def _frames(tree: JsonObject) -> Iterator[JsonObject]:
    yield tree["frame"]
    for child in tree.get("childFrames", []):
        yield from _frames(child)
