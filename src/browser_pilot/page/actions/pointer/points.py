"""Points of the viewport as ``element`` arguments: ``{"x": 120, "y": 80}`` stands for the element that is there.

The element is resolved first, so a point is authorized like a ref. When the action is executed, the page checks that
the same element is still at the point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import ElementNotActionable, ElementNotFound, InvalidArgument
from browser_pilot.page.actions.selectors import Element, ElementArgument
from browser_pilot.page.isolated_world import World

_MAX_DEPTH = 20
_COORDINATES = frozenset({"x", "y"})


@dataclass(frozen=True, slots=True)
class ElementAtPoint:
    """``point`` is in the viewport of the element's frame."""

    element: Element
    point: tuple[float, float]


def is_point(element: object) -> bool:
    return isinstance(element, Mapping) and not _COORDINATES.isdisjoint(cast("Mapping[object, object]", element))


def parse_point(element: ElementArgument, *, pointing: bool) -> tuple[float, float] | None:
    """The point that an ``element`` argument names; None if it names an element."""
    if not isinstance(element, Mapping) or not is_point(element):
        return None
    if not pointing:
        raise InvalidArgument(
            "A point {x, y} is for clicking, hovering, scrolling and dragging only.",
            suggestions=["Name the element by its ref or a selector."],
        )
    if frozenset(element) != _COORDINATES:
        other = ", ".join(sorted(set(element) - _COORDINATES)) or "only one of x and y"
        raise InvalidArgument(
            f"A point has x and y and nothing else; this one has {other[:80]}.",
            suggestions=["Give {x, y} in CSS pixels of the viewport, or {ref, at: [x, y]} for a point in an element."],
        )
    return _coordinate(element["x"], "x"), _coordinate(element["y"], "y")


def _coordinate(value: object, name: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidArgument(
            f"{name} = {str(value)[:80]!r} is not a number.", suggestions=["Give CSS pixels of the viewport."]
        )
    return number


async def element_at(world: World, point: tuple[float, float]) -> ElementAtPoint:
    """The element at a point of the main viewport, in whatever frame is there."""
    where = f"({point[0]:g}, {point[1]:g})"
    frame = (await world.live_frames())[0]
    for _ in range(_MAX_DEPTH):
        reply = cast("dict[str, Any]", await world.call(frame, "elementAtPoint", *point, repeatable=True))
        if reply.get("error") == "nothing there":
            raise ElementNotFound(
                f"There is nothing at {where}; the viewport is {reply['by']} pixels large.",
                suggestions=["Scroll first: points are counted from the upper left corner of what is shown."],
            )
        inner = await world.frames.get(int(reply["frame"])) if "frame" in reply else None
        if "ref" in reply:
            world.note_refs_used(frame, int(reply["lastRef"]))
            return ElementAtPoint(Element(frame, reply["ref"], reply["role"], reply["name"]), point)
        if inner is None:
            break
        frame, point = inner, (float(reply["x"]), float(reply["y"]))
    raise ElementNotActionable(
        f"There is a frame at {where} whose elements cannot be reached.",
        suggestions=["Take a browser_snapshot to see what can be used."],
    )
