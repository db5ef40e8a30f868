"""Forms: choosing options of a drop-down list, and filling many fields of any kind in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.pages.action import GRACE_MS, PATIENCE_MS, Hand, perform
from browser_pilot.pages.frames import MAIN
from browser_pilot.pages.keyboard import not_sent, press_enter, sent
from browser_pilot.pages.outcome import FieldReport, Outcome
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find
from browser_pilot.pages.troubles import describe_trouble
from browser_pilot.pages.world import Json

FieldValue = str | int | float | bool | Sequence[str]


async def select(
    tab: Tab, element: ElementArgument, values: Sequence[str], *, timeout_ms: int = PATIENCE_MS
) -> Outcome:
    """Choose options of a native drop-down list or list box by their labels or values; exactly these."""
    target = await find(tab, element)

    async def act(hand: Hand) -> Reply | None:
        hand.acts()
        wanted = list(values)
        chosen = await hand.ask_and_act(target, "choose", target.aimed, wanted, timeout_ms, patience_ms=timeout_ms)
        if chosen is not None and chosen["matches"] is False:
            hand.notices.append(f"{target.words} now holds {chosen['holds']!r}: the page changed the choice.")
        return chosen

    return await perform(tab, target, act)


async def fill_form(
    tab: Tab,
    fields: Sequence[tuple[ElementArgument, FieldValue]],
    *,
    submit: bool = False,
    timeout_ms: int = PATIENCE_MS,
) -> Outcome:
    """Fill fields one after the other: text, dates, lists, check boxes (true or false), radio buttons.

    When one of them does not exist or is no field, nothing is filled at all. A field that does not take its value is
    told in ``Outcome.fields``; the others are filled, and the form is not submitted.
    """
    if not fields:
        raise InvalidArgument("`fields` is empty.", suggestions=["Give at least one field: {element, value}."])
    targets = [await find(tab, element) for element, _ in fields]
    reports: list[FieldReport] = []

    async def act(hand: Hand) -> Reply | None:
        hand.acts()
        wanted = [(target, _wire(tab, target, value)) for target, (_, value) in zip(targets, fields, strict=True)]
        reply: Reply | None = None
        for _, group in groupby(wanted, key=lambda pair: pair[0].frame.number):
            reply = await _fill(hand, list(group), timeout_ms, reports)
            if reply is None:
                break
        if submit and reply is not None and all(report.problem is None for report in reports):
            return await _submit(hand, targets[-1])
        return reply

    outcome = await perform(tab, targets[-1], act)
    missing = [FieldReport(target.words, problem="was not reached") for target in targets[len(reports) :]]
    notice = _summary(reports, submit=submit)
    return outcome.reporting((*reports, *missing)).noting(*notice)


async def _submit(hand: Hand, last: Target) -> Reply | None:
    """Send the form that the last field belongs to, as its own button would; Enter where there is no form."""
    hand.acts()
    told = await hand.aftermath("submit", last.aimed, frame=last.frame)
    if told is None:
        return None
    if told["changed"]:
        raise not_sent(last.words)
    if told["invalid"]:
        hand.notices.append(f"The form was not accepted: {told['invalid']}.")
    return sent(await hand.aftermath("settled"), last.words) if told["sent"] else await press_enter(hand, last)


async def _fill(
    hand: Hand, group: list[tuple[Target, Json]], timeout_ms: int, reports: list[FieldReport]
) -> Reply | None:
    """Fill the fields of one frame."""
    entries: list[Json] = [{"aimed": target.aimed, "value": value} for target, value in group]
    frame = group[0][0].frame
    reply = await hand.aftermath("fill", entries, timeout_ms, frame=frame, timeout_ms=timeout_ms + GRACE_MS)
    if reply is None:
        return None
    for (target, _), told in zip(group, cast("list[Mapping[str, Any]]", reply["fields"]), strict=True):
        reports.append(_report(target, told))
    return reply if frame.number in (MAIN, hand.frame.number) else {}


def _report(target: Target, told: Mapping[str, Any]) -> FieldReport:
    if "trouble" in told:
        said, advice = describe_trouble(dict(told))
        return FieldReport(target.words, problem=f"{said}. {advice}")
    problem = None if told["matches"] else f"holds {told['holds']!r} now: the page did not keep what was given"
    return FieldReport(target.words, str(told["holds"]), problem)


def _summary(reports: Sequence[FieldReport], *, submit: bool) -> list[str]:
    failed = sum(1 for report in reports if report.problem is not None)
    if not failed:
        return []
    unsent = " The form was not submitted." if submit else ""
    return [f"{failed} of {len(reports)} fields could not be filled.{unsent}"]


def _wire(tab: Tab, target: Target, value: FieldValue) -> Json:
    """Text with secrets filled in, numbers as their text; lists and truth values as they are."""
    if isinstance(value, str):
        return tab.fill(value, target.origin)
    if isinstance(value, bool):
        return value
    return str(value) if isinstance(value, int | float) else list(value)
