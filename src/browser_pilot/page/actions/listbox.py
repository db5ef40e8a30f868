"""Lists of options that a page draws itself (comboboxes, list boxes): open one, find an option, check the choice.

The option itself is clicked like any other element, as an action of its own, because its facts are known only once the
list is open.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import cast

from browser_pilot.errors import ElementNotActionable, InvalidArgument, PilotError
from browser_pilot.page.cdp import send

from .actionability_errors import actionability_error
from .context import ActionContext
from .keyboard import send_keys
from .keys import parse_chord
from .mouse import click_target
from .outcome import Outcome
from .resolve import Target
from .runner import TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

OPEN_TIMEOUT_MS = 1_000
# Other options may be replaced by the wanted one for this time: a list that is filled from the network.
SETTLE_MS = 400
FILTER_SETTLE_MS = 3_000


@dataclass(frozen=True, slots=True)
class ListOption:
    """``ref`` is empty if the list has no such option; ``labels`` are those that it has."""

    ref: str = ""
    chosen: bool = False
    labels: str = ""
    editable: bool = False


async def find_option(
    context: ActionContext, target: Target, label: str, *, timeout_ms: int = TIMEOUT_MS
) -> tuple[Outcome, ListOption]:
    """Open the list of ``target`` where it is closed, and filter or scroll it until it shows the option."""
    found = ListOption()

    async def execute(action: RunningAction) -> PageReport | None:
        nonlocal found
        deadline = asyncio.get_running_loop().time() + timeout_ms / 1000
        state = await _state(action, target, label, 0, 0)
        was_open = state["open"]
        if not was_open:
            await _open(action, target)
            state = await _state(action, target, label, OPEN_TIMEOUT_MS, SETTLE_MS)
        if not (state["open"] or state["editable"]):
            await _press(action, target, "ArrowDown")
            state = await _state(action, target, label, OPEN_TIMEOUT_MS, SETTLE_MS)
        if state["option"] is None and state["editable"]:
            await _filter(action, target, label)
            state = await _state(action, target, label, FILTER_SETTLE_MS, FILTER_SETTLE_MS)
        if state["option"] is None and state["open"]:
            left_ms = max(0, int((deadline - asyncio.get_running_loop().time()) * 1000))
            state = await action.call_target(
                target, "scrollListTo", target.wire_ref, label, left_ms, timeout_ms=left_ms
            )
        found = _option(action, target, state)
        if found.chosen and not was_open:
            await _press(action, target, "Escape")
        return await action.result_of("waitIdle", frame=target.frame)

    outcome = await run_action(context, target, execute)
    return outcome, found


async def shows_choice(context: ActionContext, target: Target, label: str) -> bool:
    """Whether the control shows the label now; also if the page has replaced the control."""
    try:
        reply = await context.tab.world.call(target.frame, "listShows", target.ref, label, repeatable=True)
    except PilotError:
        return True
    return cast("PageReport", reply)["shows"] is not False


def no_option_error(description: str, label: str, option: ListOption) -> InvalidArgument:
    there = f"there are {option.labels}" if option.labels else "its list shows no options"
    return InvalidArgument(
        f'{description} has no option "{label}"; {there}.',
        suggestions=["Use one of these labels." if option.labels else "Take a browser_snapshot to see what it shows."],
    )


async def _state(action: RunningAction, target: Target, label: str, timeout_ms: int, settle_ms: int) -> PageReport:
    arguments = (target.wire_ref, label, timeout_ms, settle_ms)
    return await action.call_target(target, "findListOption", *arguments, timeout_ms=timeout_ms + settle_ms)


async def _open(action: RunningAction, target: Target) -> None:
    """Click the control; where its own parts cover it, or it is only a field for keys, use the keyboard."""
    try:
        await click_target(action, target, OPEN_TIMEOUT_MS)
    except ElementNotActionable:
        await _press(action, target, "ArrowDown")


async def _press(action: RunningAction, target: Target, key: str) -> None:
    approved = action.context.approved
    await action.call_target(
        target, "focusTarget", target.wire_ref, approved, OPEN_TIMEOUT_MS, timeout_ms=OPEN_TIMEOUT_MS
    )
    action.mark_sent()
    await send_keys(action, [parse_chord(key)])


async def _filter(action: RunningAction, target: Target, label: str) -> None:
    """Replace the text in the field of the list by the label."""
    await action.call_target(target, "focusListInput", target.wire_ref, timeout_ms=0)
    action.mark_sent()
    await send(action.session, "Input.insertText", text=label)


def _option(action: RunningAction, target: Target, state: PageReport) -> ListOption:
    if state["option"] is None:
        return ListOption(labels=str(state["labels"]), editable=bool(state["editable"]))
    action.tab.world.note_refs_used(target.frame, int(state["lastRef"]))
    if state["disabled"]:
        raise actionability_error(target.description, {"error": "disabled option", "by": "of that label"})
    return ListOption(str(state["option"]), chosen=bool(state["chosen"]))
