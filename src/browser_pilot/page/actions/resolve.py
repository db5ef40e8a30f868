"""From what a caller wrote (a ref, a selector, a role and name) to one element to act on, in as few steps as it takes.

A ref is not looked up: the page finds out itself, when it acts, whether the element still lives. Then ``lost`` says
what to do instead. How arguments are read and elements are found is in ``elements``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from browser_pilot.errors import ElementNotFound, InvalidArgument, StaleRef
from browser_pilot.pages.elements import ElementArgument, Elements, Selector, parse_element
from browser_pilot.pages.frames import MAIN, Frame
from browser_pilot.pages.world import Json, World

if TYPE_CHECKING:
    from browser_pilot.pages.tab import Tab

# In place of an argument: whatever has the focus.
FOCUS = ""
_FRAME = re.compile(r"f(\d+)e")

__all__ = ["FOCUS", "ElementArgument", "Target", "find", "key_of", "lost"]


@dataclass(frozen=True, slots=True)
class Target:
    """One element, by its ref in its frame; ``words`` is how the caller called it.

    ``seal`` is what was decided about: the page compares it when it acts. With ``seals_values`` what the element's form
    holds counts too. ``origin`` is that of its frame then.
    """

    frame: Frame
    ref: str
    words: str
    seal: str = field(default="", repr=False)
    seals_values: bool = False
    origin: str = ""
    # A point in the element, in pixels from its upper left corner; None for wherever it can be reached.
    at: tuple[float, float] | None = None

    @property
    def aimed(self) -> Json:
        """How the page is told which element is meant."""
        return {"ref": self.ref, "seal": self.seal, "values": self.seals_values} if self.seal else self.ref

    def wire_at(self) -> Json:
        return list(self.at) if self.at else None


def key_of(element: ElementArgument) -> str:
    """One text for the same ``element`` argument."""
    return element if isinstance(element, str) else json.dumps(element, sort_keys=True, default=str)


async def find(tab: Tab, element: ElementArgument, *, pointing: bool = False) -> Target:
    """The one element that is meant. A ref costs nothing; anything else is looked for in every frame.

    Whoever points at the element may name the point in it: ``{"ref": "e12", "at": [x, y]}``.
    """
    tab.dialogs.require_none()
    at = _point(element, pointing=pointing)
    decided = tab.decided.get(key_of(element))
    if decided is not None:
        return decided
    if at is not None and isinstance(element, Mapping):
        return replace(await find(tab, {key: value for key, value in element.items() if key != "at"}), at=at)
    world = tab.world
    if isinstance(element, Mapping) and set(element) == {"index"}:
        element = _indexed(world, element["index"])
    selector = parse_element(element)
    if selector.ref is None:
        found = await tab.dialogs.unless_opened(Elements(world).resolve(selector))
        return Target(found.frame, found.ref, str(found))
    in_frame = _FRAME.match(selector.ref)
    frame = await world.frames.get(int(in_frame[1]) if in_frame else MAIN)
    if frame is None:
        raise StaleRef(f"The frame of {selector.ref} is no longer on the page.", suggestions=["Take a new snapshot."])
    return Target(frame, selector.ref, selector.ref)


def _point(element: ElementArgument, *, pointing: bool) -> tuple[float, float] | None:
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


def _indexed(world: World, index: object) -> str:
    """The ref of an element that the last DOM tree numbered."""
    if not isinstance(index, int) or isinstance(index, bool):
        raise InvalidArgument(f"index = {index!r} is not a number.", suggestions=["Indices come from browser_dom."])
    if world.tree is None:
        raise ElementNotFound(f"Element index {index} out of range.", suggestions=["Call browser_dom first."])
    return world.tree.ref(index)


async def lost(world: World, target: Target) -> StaleRef:
    """The error for an element that is gone: what it was, and whether there is one like it now."""
    try:
        await Elements(world).resolve(Selector(ref=target.ref))
    except StaleRef as error:
        return error
    return StaleRef(f"{target.words} is no longer on the page.", suggestions=["Take a new snapshot."])
