"""Resolves an ``element`` argument (ref, selector, role and name) to one target.

A ref costs no round trip: the page checks when it acts whether the element still exists, and ``stale_error`` then says
what to do instead. ``selectors`` parses and searches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from browser_pilot.errors import ElementNotFound, InvalidArgument, StaleRef
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import World

from .pointer.points import element_at, parse_point
from .selectors import ElementArgument, Elements, Selector, parse_element

if TYPE_CHECKING:
    from browser_pilot.page.tab import Tab

_FRAME = re.compile(r"f(\d+)e")

__all__ = ["ElementArgument", "Target", "resolve", "stale_error"]


@dataclass(frozen=True, slots=True)
class Target:
    """One element, by its ref in its frame; ``description`` is how the caller named it.

    ``fingerprint`` is what was authorized: the page compares it when it acts. With ``fingerprints_values`` it includes
    the values in the element's form. ``origin`` is that of its frame at that time.
    """

    frame: Frame
    ref: str
    description: str
    fingerprint: str = field(default="", repr=False)
    fingerprints_values: bool = False
    origin: str = ""
    # A point in the element, in pixels from its upper left corner; None for any point that receives input.
    offset: tuple[float, float] | None = None
    # The point of its frame's viewport at which it was found. It must still be there when it is acted on.
    point: tuple[float, float] | None = None

    @property
    def wire_ref(self) -> ReadOnlyJson:
        """The argument by which injected functions find the element and check its fingerprint."""
        if not self.fingerprint:
            return self.ref
        return {"ref": self.ref, "fingerprint": self.fingerprint, "values": self.fingerprints_values}

    def wire_position(self) -> ReadOnlyJson:
        """The argument by which injected functions know where in the element to act."""
        if self.point is not None:
            return {"x": self.point[0], "y": self.point[1]}
        return list(self.offset) if self.offset else None


async def resolve(tab: Tab, element: ElementArgument, *, pointing: bool = False) -> Target:
    """The one element that ``element`` names. Anything but a ref is searched for in every frame.

    With ``pointing`` the argument may name a point in the element, ``{"ref": "e12", "at": [x, y]}``, or a point of the
    viewport, ``{"x": x, "y": y}``, which stands for the element that is there now.
    """
    tab.dialogs.require_none()
    point = parse_point(element, pointing=pointing)
    if point is not None:
        await tab.dialogs.unless_opened(tab.secrets.hide_values())
        found = await tab.dialogs.unless_opened(element_at(tab.world, point))
        return Target(found.element.frame, found.element.ref, str(found.element), point=found.point)
    offset = _parse_offset(element, pointing=pointing)
    if offset is not None and isinstance(element, Mapping):
        return replace(await resolve(tab, {key: value for key, value in element.items() if key != "at"}), offset=offset)
    world = tab.world
    if isinstance(element, Mapping) and set(element) == {"index"}:
        element = _ref_of_index(world, element["index"])
    selector = parse_element(element)
    if selector.ref is None:
        await tab.dialogs.unless_opened(tab.secrets.hide_values())
        found = await tab.dialogs.unless_opened(Elements(world).resolve(selector))
        return Target(found.frame, found.ref, str(found))
    in_frame = _FRAME.match(selector.ref)
    frame = await world.frames.get(int(in_frame[1]) if in_frame else MAIN)
    if frame is None:
        raise StaleRef(f"The frame of {selector.ref} is no longer on the page.", suggestions=["Take a new snapshot."])
    return Target(frame, selector.ref, selector.ref)


def _parse_offset(element: ElementArgument, *, pointing: bool) -> tuple[float, float] | None:
    at = element.get("at") if isinstance(element, Mapping) else None
    if at is None:
        return None
    if not pointing:
        raise InvalidArgument("`at` goes with clicking, hovering and dragging only.", suggestions=["Leave `at` out."])
    match at:
        case [int() | float() as x, int() | float() as y] if x >= 0 and y >= 0 and not isinstance(x, bool):
            return float(x), float(y)
        case _:
            raise InvalidArgument(
                f"at = {at!r} is not a point.",
                suggestions=["Give [x, y] in pixels from the element's upper left corner."],
            )


def _ref_of_index(world: World, index: object) -> str:
    """The ref of an element that the last DOM tree numbered."""
    if not isinstance(index, int) or isinstance(index, bool):
        raise InvalidArgument(f"index = {index!r} is not a number.", suggestions=["Indices come from browser_dom."])
    if world.tree is None:
        raise ElementNotFound(f"Element index {index} out of range.", suggestions=["Call browser_dom first."])
    return world.tree.ref(index)


async def stale_error(world: World, target: Target) -> StaleRef:
    """The error for an element that is gone: what it was, and whether a similar one exists now."""
    try:
        await Elements(world).resolve(Selector(ref=target.ref))
    except StaleRef as error:
        return error
    return StaleRef(f"{target.description} is no longer on the page.", suggestions=["Take a new snapshot."])
