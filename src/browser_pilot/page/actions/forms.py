"""Forms: selecting options of a drop-down list, and filling many fields of any kind in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.frames import MAIN

from .actionability_errors import describe_problem
from .context import ActionContext
from .keyboard import not_submitted_error, require_submitted, submit_with_enter
from .outcome import FieldReport, Outcome
from .resolve import Target
from .runner import EXTRA_TIMEOUT_MS, TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

FieldValue = str | int | float | bool | Sequence[str]
_Entry = dict[str, ReadOnlyJson]


async def select(
    context: ActionContext, target: Target, values: Sequence[str], *, timeout_ms: int = TIMEOUT_MS
) -> Outcome:
    """Select exactly these options of a native drop-down list or list box, by their labels or values.

    Nothing is done to a list that the page draws itself; the outcome's ``custom_lists`` has it then.
    """
    is_custom = False

    async def execute(action: RunningAction) -> PageReport | None:
        nonlocal is_custom
        action.mark_sent()
        selected = await action.call_and_act(
            target, "selectOptions", target.wire_ref, list(values), timeout_ms, timeout_ms=timeout_ms
        )
        if selected is not None and selected.get("customList"):
            is_custom = True
            return {}
        if selected is not None and selected["matches"] is False:
            holds = selected["holds"]
            action.notices.append(f"{target.description} now holds {holds!r}: the page changed the selection.")
        return selected

    outcome = await run_action(context, target, execute)
    return replace(outcome, custom_lists=(0,)) if is_custom else outcome


async def fill_form(
    context: ActionContext,
    fields: Sequence[tuple[Target, FieldValue]],
    *,
    submit: bool = False,
    timeout_ms: int = TIMEOUT_MS,
) -> Outcome:
    """Fill fields one after the other: text, dates, lists, check boxes (true or false), radio buttons.

    A field that does not accept its value is reported in ``Outcome.fields``; the others are filled, and the form is not
    submitted.
    """
    if not fields:
        raise InvalidArgument("`fields` is empty.", suggestions=["Give at least one field: {element, value}."])
    reports: list[FieldReport] = []
    last = fields[-1][0]

    async def execute(action: RunningAction) -> PageReport | None:
        action.mark_sent()
        wanted = [(target, _wire_entry(action, target, value)) for target, value in fields]
        reply: PageReport | None = None
        for _, group in groupby(wanted, key=lambda pair: pair[0].frame.number):
            reply = await _fill(action, list(group), timeout_ms, reports)
            if reply is None:
                break
        if submit and reply is not None and all(report.problem is None and not report.is_list for report in reports):
            return await _submit(action, last)
        return reply

    outcome = await run_action(context, last, execute)
    missing = [FieldReport(target.description, problem="was not reached") for target, _ in fields[len(reports) :]]
    lists = tuple(index for index, report in enumerate(reports) if report.is_list)
    outcome = replace(outcome, custom_lists=lists)
    return outcome.with_fields((*reports, *missing)).with_notices(*_summary(reports, submit=submit))


async def submit_form(context: ActionContext, last: Target) -> Outcome:
    """Submit the form of a field, as its own button would; Enter where there is no form."""

    async def execute(action: RunningAction) -> PageReport | None:
        return await _submit(action, last)

    return await run_action(context, last, execute)


async def _submit(action: RunningAction, last: Target) -> PageReport | None:
    """Submit the form of the last field, as its own button would; Enter where there is no form."""
    action.mark_sent()
    report = await action.result_of("submitForm", last.wire_ref, action.context.approved, frame=last.frame)
    if report is None:
        return None
    if report["changed"]:
        raise not_submitted_error(last.description)
    if report["invalid"]:
        action.notices.append(f"The form was not accepted: {report['invalid']}.")
    if not report["sent"]:
        return await submit_with_enter(action, last)
    return require_submitted(await action.result_of("waitIdle"), last.description)


async def _fill(
    action: RunningAction, group: list[tuple[Target, _Entry]], timeout_ms: int, reports: list[FieldReport]
) -> PageReport | None:
    """Fill the fields of one frame."""
    entries: list[ReadOnlyJson] = [{"target": target.wire_ref, **entry} for target, entry in group]
    frame = group[0][0].frame
    reply = await action.result_of(
        "fillFields", entries, timeout_ms, frame=frame, timeout_ms=timeout_ms + EXTRA_TIMEOUT_MS
    )
    if reply is None:
        return None
    for (target, _), result in zip(group, cast("list[Mapping[str, Any]]", reply["fields"]), strict=True):
        reports.append(_report(target, result))
    return reply if frame.number in (MAIN, action.frame.number) else {}


def _report(target: Target, result: Mapping[str, Any]) -> FieldReport:
    if "error" in result:
        problem, advice = describe_problem(dict(result))
        return FieldReport(target.description, problem=f"{problem}. {advice}")
    problem = None if result["matches"] else f"holds {result['holds']!r} now: the page did not keep what was given"
    is_list = bool(result.get("customList"))
    return FieldReport(target.description, str(result["holds"]), problem, is_list=is_list)


def _summary(reports: Sequence[FieldReport], *, submit: bool) -> list[str]:
    failed = sum(1 for report in reports if report.problem is not None)
    if not failed:
        return []
    unsent = " The form was not submitted." if submit else ""
    return [f"{failed} of {len(reports)} fields could not be filled.{unsent}"]


def _wire_entry(action: RunningAction, target: Target, value: FieldValue) -> _Entry:
    """Text with secrets filled in, numbers as text; lists and booleans unchanged."""
    if isinstance(value, str):
        filled = action.fill_secrets(target, value)
        return {"value": filled.text, "secrets": list(filled.secrets)}
    if isinstance(value, bool):
        return {"value": value, "secrets": []}
    return {"value": str(value) if isinstance(value, int | float) else list(value), "secrets": []}
