"""Inspects the targets of a call as they are now, for the authorization.

A tool declares what it acts on (``TargetSpec``); ``inspect_targets`` resolves these elements and returns their facts.
Each target carries a fingerprint: when the tool acts, the page compares it and refuses if the element has changed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import World
from browser_pilot.page.tab import Tab
from browser_pilot.policy.sensitivity import ElementFacts, FieldFacts
from browser_pilot.safe_text import sanitize_data

from .resolve import ElementArgument, Target, resolve, stale_error

MAX_FOCUS_DEPTH = 20


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """An element that a call acts on; None: the one that has the focus.

    ``submits``: the call may also submit the element's form (Enter in a field). ``fills``: it sets a value, so the
    values in the form are about to change and are not part of the fingerprint. ``choices`` are the options that it
    selects. ``shortcut``: a key with Control, Alt or Meta, which the page may handle wherever the focus is.
    ``pointing``: see ``resolve``.
    """

    element: ElementArgument | None
    submits: bool = False
    fills: bool = False
    pointing: bool = False
    choices: tuple[str, ...] = ()
    shortcut: bool = False


@dataclass(frozen=True, slots=True)
class SubmittedField:
    """A field of the form that is submitted. ``value`` is None for a secret."""

    label: str
    value: str | None
    hidden: bool
    facts: FieldFacts


@dataclass(frozen=True, slots=True)
class FormContent:
    """The fields that have a value, except the one that is filled next; ``more`` were left out. ``lines`` are
    its texts with numbers.
    """

    fields: tuple[SubmittedField, ...] = ()
    more: int = 0
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InspectedElement:
    """``given`` is the ``element`` argument as text; empty for the focus. ``form`` is what would be submitted."""

    facts: ElementFacts
    target: Target
    given: str
    form: FormContent | None = None

    @property
    def description(self) -> str:
        """ "button “Pay now”"."""
        kind = self.facts.role or "element"
        return f"{kind} “{self.facts.name}”" if self.facts.name else f"{kind} {self.target.ref}"


async def inspect_targets(tab: Tab, specs: Sequence[TargetSpec]) -> tuple[InspectedElement, ...]:
    """The elements with their current facts. Raises when one is not found, ambiguous or gone.

    One element per spec, except that there is none for the focus when nothing has it.
    """
    inspections = (_focused(tab, spec) if spec.element is None else _named(tab, spec, spec.element) for spec in specs)
    return tuple(found for found in await asyncio.gather(*inspections) if found is not None)


async def _named(tab: Tab, spec: TargetSpec, element: ElementArgument) -> InspectedElement:
    target = await resolve(tab, element, pointing=spec.pointing)
    facts = await tab.dialogs.unless_opened(_facts(tab.world, target.frame, target.ref, spec))
    if "error" in facts:
        raise await stale_error(tab.world, target)
    return _inspected(target, facts, spec)


async def _focused(tab: Tab, spec: TargetSpec) -> InspectedElement | None:
    """The element that has the focus, in any frame; None when nothing has it."""
    tab.dialogs.require_none()
    world = tab.world
    frame = (await world.live_frames())[0]
    for _ in range(MAX_FOCUS_DEPTH):
        facts = await tab.dialogs.unless_opened(_facts(world, frame, None, spec))
        if "ref" in facts:
            world.note_refs_used(frame, int(facts["lastRef"]))
            return _inspected(Target(frame, str(facts["ref"]), "The focus"), facts, spec)
        inner = None if facts["frame"] is None else await world.frames.get(int(facts["frame"]))
        if inner is None:
            return None
        frame = inner
    return None


async def _facts(world: World, frame: Frame, ref: str | None, spec: TargetSpec) -> dict[str, Any]:
    options = {
        "submits": spec.submits,
        "values": not spec.fills,
        "shortcut": spec.shortcut,
        "choices": list(spec.choices),
    }
    facts = cast("dict[str, Any]", await world.call(frame, "targetFacts", ref, options, repeatable=True, raw=True))
    sanitized = cast("dict[str, Any]", sanitize_data(facts))
    # The page compares the fingerprint, which must stay as it is. It is JSON, so it is well-formed.
    return {**sanitized, "fingerprint": facts["fingerprint"]} if "fingerprint" in facts else sanitized


def _inspected(target: Target, facts: dict[str, Any], spec: TargetSpec) -> InspectedElement:
    element = ElementFacts(
        role=facts["role"],
        name=facts["name"],
        texts=tuple(facts["texts"]),
        choices=tuple(facts["choices"]),
        acts_at_once=facts["actsAtOnce"],
        identifiers=facts["identifiers"],
        field=FieldFacts(**facts["field"]),
        href=facts["href"],
        opens=facts["opens"],
        dialog=facts["dialog"],
        submits=facts["submits"],
        submit_name=facts["submitName"],
        form_action=facts["formAction"],
        form_method=facts["formMethod"],
        form_fields=tuple(FieldFacts(**field) for field in facts["formFields"]),
        origin=facts["origin"],
    )
    fingerprinted = replace(
        target, fingerprint=facts["fingerprint"], fingerprints_values=not spec.fills, origin=facts["origin"]
    )
    form = None if facts["form"] is None else _form_content(facts["form"])
    return InspectedElement(element, fingerprinted, _given(spec.element), form)


def _form_content(form: dict[str, Any]) -> FormContent:
    fields = (
        SubmittedField(
            label=field["label"],
            value=field["value"],
            hidden=field["hidden"],
            facts=FieldFacts(field["type"], field["autocomplete"], field["name"]),
        )
        for field in form["fields"]
    )
    return FormContent(tuple(fields), form["more"], tuple(form["lines"]))


def _given(element: ElementArgument | None) -> str:
    if element is None:
        return ""
    return element if isinstance(element, str) else json.dumps(element, sort_keys=True, default=str)
