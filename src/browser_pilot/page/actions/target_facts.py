"""What a call is about to act on, as it stands on the page now: for whoever decides whether it may.

A tool says what it aims at (``Aim``); ``look_at`` finds those elements and tells what acting on them means. Each comes
with a seal: when the tool then acts, the page compares it and refuses if the element is no longer what was decided
about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ..policy.sensitivity import ElementFacts, FieldFacts
from .dialogs import DialogFacts
from .frames import Frame
from .tab import Tab
from .targets import FOCUS, ElementArgument, Target, find, key_of, lost
from .world import World

DEEPEST_FOCUS = 20


@dataclass(frozen=True, slots=True)
class Aim:
    """One element that a call acts on; None: whatever has the focus.

    ``sends`` when the call may send the element's form besides (Enter in a field). ``fills`` when it puts a value in:
    then what the form holds is about to change anyway, and does not count.
    """

    element: ElementArgument | None
    sends: bool = False
    fills: bool = False


@dataclass(frozen=True, slots=True)
class SeenElement:
    facts: ElementFacts
    target: Target

    @property
    def words(self) -> str:
        """ "button “Pay now”"."""
        kind = self.facts.role or "element"
        return f"{kind} “{self.facts.name}”" if self.facts.name else f"{kind} {self.target.ref}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call would act on. ``targets`` are by the argument that named them."""

    elements: tuple[SeenElement, ...] = ()
    targets: Mapping[str, Target] = field(default_factory=dict[str, Target])
    dialog: DialogFacts | None = None


async def look_at(tab: Tab, aims: Sequence[Aim]) -> Seen:
    """The elements, as they are now. Raises what is wrong with naming them: not found, ambiguous, gone."""
    looks = (_focused(tab, aim) if aim.element is None else _named(tab, aim, aim.element) for aim in aims)
    found = [(aim, seen) for aim, seen in zip(aims, await asyncio.gather(*looks), strict=True) if seen is not None]
    targets = {FOCUS if aim.element is None else key_of(aim.element): seen.target for aim, seen in found}
    return Seen(tuple(seen for _, seen in found), targets)


async def _named(tab: Tab, aim: Aim, element: ElementArgument) -> SeenElement:
    target = await find(tab, element, pointing=True)
    told = await tab.dialogs.unless_opened(_ask(tab.world, target.frame, target.ref, aim))
    if "trouble" in told:
        raise await lost(tab.world, target)
    return _seen(target, told, aim)


async def _focused(tab: Tab, aim: Aim) -> SeenElement | None:
    """What has the focus, in whichever frame; None when nothing has."""
    tab.dialogs.require_none()
    world = tab.world
    frame = (await world.live_frames())[0]
    for _ in range(DEEPEST_FOCUS):
        told = await tab.dialogs.unless_opened(_ask(world, frame, None, aim))
        if "ref" in told:
            world.note_refs_used(frame, int(told["lastRef"]))
            return _seen(Target(frame, str(told["ref"]), "The focus"), told, aim)
        inner = None if told["frame"] is None else await world.frames.get(int(told["frame"]))
        if inner is None:
            return None
        frame = inner
    return None


async def _ask(world: World, frame: Frame, ref: str | None, aim: Aim) -> dict[str, Any]:
    how = {"sends": aim.sends, "values": not aim.fills}
    return cast("dict[str, Any]", await world.call(frame, "facts", ref, how, repeatable=True))


def _seen(target: Target, told: dict[str, Any], aim: Aim) -> SeenElement:
    facts = ElementFacts(
        role=told["role"],
        name=told["name"],
        field=FieldFacts(**told["field"]),
        href=told["href"],
        submits=told["submits"],
        submit_name=told["submitName"],
        form_action=told["formAction"],
        form_method=told["formMethod"],
        form_fields=tuple(FieldFacts(**one) for one in told["formFields"]),
    )
    sealed = replace(target, seal=told["seal"], seals_values=not aim.fills, origin=told["origin"])
    return SeenElement(facts, sealed)
