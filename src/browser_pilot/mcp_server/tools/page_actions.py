"""Actions other than keyboard and mouse input: scrolling, dragging, uploading files, responding to dialogs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, WithJsonSchema

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions import scroll as scrolling
from browser_pilot.page.actions import upload as uploading
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.pointer import drag as dragging
from browser_pilot.page.actions.runner import respond_to_dialog
from browser_pilot.page.actions.target_facts import TargetSpec

from .arguments import ElementField
from .page_result import action_data, render_changes
from .user_input import element_timeout_ms

MAX_VIA = 50
Pixels = Annotated[int, Field(ge=-100_000, le=100_000), WithJsonSchema({"type": "integer"})]


class ScrollArguments(TabArguments):
    element: ElementField | None = None
    dx: Pixels = 0
    dy: Pixels = 0
    to: scrolling.Goal | None = None


async def scroll(context: ToolContext, arguments: ScrollArguments) -> Outcome:
    return await scrolling.scroll(
        context.action,
        arguments.element,
        dx=arguments.dx,
        dy=arguments.dy,
        to=arguments.to,
        timeout_ms=element_timeout_ms(context),
    )


class UploadArguments(TabArguments):
    element: ElementField
    paths: Annotated[tuple[str, ...], Field(min_length=1)]


def upload_targets(arguments: UploadArguments) -> tuple[TargetSpec, ...]:
    return (TargetSpec(arguments.element, fills=True),)


def upload_files(arguments: UploadArguments) -> tuple[str, ...]:
    return arguments.paths


async def upload(context: ToolContext, _: UploadArguments) -> Outcome:
    timeout_ms = element_timeout_ms(context)
    paths = [file.path for file in context.inspection.files]
    return await uploading.upload(context.action, context.action.targets[0], paths, timeout_ms=timeout_ms)


class DragArguments(TabArguments):
    from_: Annotated[ElementField, Field(alias="from")]
    to: ElementField
    via: Annotated[tuple[ElementField, ...], Field(max_length=MAX_VIA)] = ()


def drag_targets(arguments: DragArguments) -> tuple[TargetSpec, ...]:
    places = (arguments.from_, *arguments.via, arguments.to)
    return tuple(TargetSpec(place, pointing=True) for place in places)


async def drag(context: ToolContext, _: DragArguments) -> Outcome:
    return await dragging.drag(context.action, *context.action.targets, timeout_ms=element_timeout_ms(context))


class DialogArguments(TabArguments):
    accept: bool
    text: str | None = None


@dataclass(frozen=True)
class DialogResponse:
    """Which kind of dialog was open, and what the page did after the response."""

    kind: str
    outcome: Outcome


async def respond(context: ToolContext, arguments: DialogArguments) -> DialogResponse:
    dialog = context.tab.dialogs.facts
    outcome = await respond_to_dialog(context.action, accept=arguments.accept, text=arguments.text)
    return DialogResponse(dialog.kind if dialog else "none", outcome)


async def render_response(context: ToolContext, _: DialogArguments, response: DialogResponse) -> ToolResult:
    return ToolResult({"answered": response.kind, **await action_data(context, response.outcome)})


TOOLS = (
    Tool(
        name="browser_scroll",
        title="Scroll",
        description="Scroll the page or what an element is in.",
        arguments=ScrollArguments,
        effect="read",
        profiles=STANDARD,
        operation=Operation(execute=scroll, render=render_changes),
    ),
    Tool(
        name="browser_upload",
        title="Upload files",
        description="Give files to a file field.",
        arguments=UploadArguments,
        effect="upload",
        profiles=STANDARD,
        operation=Operation(targets=upload_targets, files=upload_files, execute=upload, render=render_changes),
        destructive=True,
    ),
    Tool(
        name="browser_dialog",
        title="Dialog",
        description="Accept or dismiss an open dialog.",
        arguments=DialogArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(execute=respond, render=render_response, dialog=True),
        destructive=True,
    ),
    Tool(
        name="browser_drag",
        title="Drag",
        description="Drag, over `via`.",
        arguments=DragArguments,
        effect="write",
        profiles=STANDARD,
        operation=Operation(targets=drag_targets, execute=drag, render=render_changes),
        destructive=True,
    ),
)
