"""Chooses in lists that pages draw themselves: a call is several actions then, each authorized for its own element.

First the list is opened and shows the option; then the option is clicked, and its own facts decide whether that needs
approval. ``browser_select`` and ``browser_fill_form`` come here for such lists only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from browser_pilot.errors import InvalidArgument
from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import CallRequest, Operation
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions import listbox, mouse
from browser_pilot.page.actions.listbox import ListOption
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import ElementField
from .page_result import render_changes

CHOICE_TIMEOUT_MS = 10_000


class ListArguments(TabArguments):
    """What is shown of one choice: the list, or the option in it, and the label."""

    element: ElementField
    values: tuple[str, ...]


def list_targets(arguments: ListArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, fills=True, choices=arguments.values),)


def option_targets(arguments: ListArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, pointing=True),)


async def find_option(context: ToolContext, arguments: ListArguments) -> tuple[Outcome, ListOption]:
    (label,), target = arguments.values, context.action.targets[0]
    timeout_ms = min(CHOICE_TIMEOUT_MS, context.call.timeout_ms // 2)
    outcome, option = await listbox.find_option(context.action, target, label, timeout_ms=timeout_ms)
    # A field whose list has nothing to offer takes the text itself, which it holds now.
    if not option.ref and (option.labels or not option.editable):
        raise listbox.no_option_error(target.description, label, option)
    return outcome, option


async def click_option(context: ToolContext, _: ListArguments) -> Outcome:
    return await mouse.click(context.action, context.action.targets[0], timeout_ms=context.call.timeout_ms // 2)


async def render_nothing(_: ToolContext, __: ListArguments, ___: object) -> ToolResult:
    return ToolResult({})


FIND = Operation[ListArguments, tuple[Outcome, ListOption]](
    targets=list_targets, execute=find_option, render=render_nothing
)
CLICK = Operation[ListArguments, Outcome](targets=option_targets, execute=click_option, render=render_changes)


async def choose(
    request: CallRequest, where: TabArguments, element: ElementField, labels: Sequence[str]
) -> tuple[ToolContext, Outcome]:
    """Choose options by their labels, in the order given. Those that are chosen already are left as they are."""
    if not labels:
        raise InvalidArgument("`values` is empty.", suggestions=["Give at least one label."])
    done = await _choose_one(request, where, element, labels[0])
    for label in labels[1:]:
        done = await _choose_one(request, where, element, label)
    return done


async def _choose_one(
    request: CallRequest, where: TabArguments, element: ElementField, label: str
) -> tuple[ToolContext, Outcome]:
    at_list = ListArguments(
        element=element, values=(label,), tab=where.tab, session=where.session, timeout_ms=where.timeout_ms
    )
    opened, (outcome, option) = await request.perform(FIND, at_list)
    if option.chosen:
        return opened, outcome
    if not option.ref:
        name = opened.action.targets[0].description
        return opened, outcome.with_notices(f"{name} offers no options; its field holds the text “{label}” now.")
    # In the same tab, whatever the list has opened.
    at_option = at_list.model_copy(update={"element": option.ref, "tab": opened.tab.id, "session": None})
    clicked, outcome = await request.perform(CLICK, at_option)
    return clicked, await _checked(opened, clicked, outcome, label)


async def _checked(opened: ToolContext, clicked: ToolContext, outcome: Outcome, label: str) -> Outcome:
    target = opened.action.targets[0]
    if outcome.new_document or clicked.undescribed_site() is not None or not clicked.tab.open:
        return outcome
    if await listbox.shows_choice(clicked.action, target, label):
        return outcome
    return outcome.with_notices(f"“{label}” was clicked, but {target.description} does not show it.")


async def choose_in_form(
    request: CallRequest, where: TabArguments, choices: Sequence[tuple[ElementField, Sequence[str]]]
) -> tuple[ToolContext | None, Outcome, tuple[str, ...]]:
    """Choose in several lists. Returns the last context and outcome, and what could not be chosen."""
    context, outcome, problems = None, Outcome(), list[str]()
    for element, labels in choices:
        try:
            context, chosen = await choose(request, where, element, labels)
        except InvalidArgument as error:
            problems.append(error.message)
            continue
        outcome = replace(chosen, notices=(*outcome.notices, *chosen.notices))
    return context, outcome, tuple(problems)
