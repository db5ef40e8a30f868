"""From what a caller wrote (a ref, a selector, a role and name) to one element in one frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import ElementAmbiguous, ElementNotFound, InvalidArgument, StaleRef
from browser_pilot.pages.frames import MAIN, Frame
from browser_pilot.pages.world import Json, World

REF = re.compile(r"(?:f(?P<frame>\d+))?e\d+")
_ROLE = re.compile(r"role=(?P<role>\w+)(?:\[name=(?P<quote>[\"']?)(?P<name>.*)(?P=quote)\])?")
_SHOWN = 5

Element = str | dict[str, object]


@dataclass(frozen=True, slots=True)
class Target:
    """One element, by its ref in its frame; ``words`` is how the caller called it."""

    frame: Frame
    ref: str
    words: str


async def find(world: World, element: Element) -> Target:
    """The one element that is meant. A ref costs nothing; anything else is looked for in every frame."""
    query = _query(element)
    if isinstance(query, str):
        match = REF.fullmatch(query)
        frame = await world.frames.get(int(match["frame"] or MAIN)) if match else None
        if frame is None:
            raise StaleRef(
                f"The frame of {query} is no longer on the page.", suggestions=["Take a new browser_snapshot."]
            )
        return Target(frame, query, query)
    words = str(element) if isinstance(element, str) else " ".join(str(value) for value in element.values())
    found: list[tuple[Frame, dict[str, Any]]] = []
    for frame, answer in await world.call_everywhere("matches", query, _SHOWN + 1):
        reply = cast("dict[str, Any]", answer)
        if reply.get("bad"):
            raise InvalidArgument(f"{words!r} is not a selector: {reply['bad']}.")
        world.note_refs_used(frame, reply["lastRef"])
        found += [(frame, row) for row in reply["rows"]]
    if not found:
        raise ElementNotFound(
            f"Nothing on the page matches {words!r}.", suggestions=["Take a browser_snapshot and use a ref."]
        )
    if len(found) > 1:
        raise ElementAmbiguous(
            f"{words!r} matches {len(found)} elements or more.",
            suggestions=["Use a ref:", *(row["words"] for _, row in found[:_SHOWN])],
        )
    frame, row = found[0]
    return Target(frame, row["ref"], words)


def _query(element: Element) -> str | dict[str, Json]:
    """The ref itself, or what to look for in the page."""
    match element:
        case str() if not element.strip():
            raise InvalidArgument("`element` is empty.", suggestions=["Give a ref such as e12, or a selector."])
        case str() if REF.fullmatch(element):
            return element
        case str() if element.startswith("text="):
            return {"text": element.removeprefix("text=").strip("\"'")}
        case str() if role := _ROLE.fullmatch(element):
            return {"role": role["role"], "name": role["name"]}
        case str():
            return {"css": element.removeprefix("css=")}
        case {"ref": str(ref)} if len(element) == 1 and REF.fullmatch(ref):
            return ref
        case {"css": str(css)} if len(element) == 1:
            return {"css": css}
        case {"role": str(role), **rest} if not rest.keys() - {"name"} and isinstance(rest.get("name", ""), str):
            return {"role": role, "name": cast("str | None", rest.get("name"))}
        case _:
            raise InvalidArgument(
                f"`element` = {cast('object', element)!r} is not understood.",
                suggestions=['Use "e12", a selector, {"ref": "e12"}, {"css": "…"} or {"role": "button", "name": "…"}.'],
            )
