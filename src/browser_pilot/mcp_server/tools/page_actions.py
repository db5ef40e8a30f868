"""Handling what is on a page: scrolling, dragging, giving it files, answering its dialogs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from ...pages import drag as dragging
from ...pages import scroll as scrolling
from ...pages import upload as uploading
from ...pages.action import answer_dialog as close_dialog
from ...pages.facts import Aim
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import FULL_ONLY, STANDARD, Call, Tool
from ..schema import TabArguments
from .acting import act
from .arguments import Element
from .pages import action_data

MostPixels = Annotated[int, Field(ge=-100_000, le=100_000)]


class ScrollArguments(TabArguments):
    element: Element | None = None
    dx: MostPixels = 0
    dy: MostPixels = 0
    to: scrolling.Goal | None = None


async def scroll(call: Call, arguments: ScrollArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: scrolling.scroll(
            tab, arguments.element, dx=arguments.dx, dy=arguments.dy, to=arguments.to, timeout_ms=timeout_ms
        ),
    )


class UploadArguments(TabArguments):
    element: Element
    paths: Annotated[tuple[str, ...], Field(min_length=1)]


async def upload(call: Call, arguments: UploadArguments) -> Answer:
    paths = [Path(path) for path in arguments.paths]
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: uploading.upload(tab, arguments.element, paths, timeout_ms=timeout_ms),
    )


class DragArguments(TabArguments):
    from_: Annotated[Element, Field(alias="from")]
    to: Element


async def drag(call: Call, arguments: DragArguments) -> Answer:
    return await act(
        call,
        arguments,
        lambda tab, timeout_ms: dragging.drag(tab, arguments.from_, arguments.to, timeout_ms=timeout_ms),
    )


class DialogArguments(TabArguments):
    accept: bool
    text: str | None = None


async def answer_dialog(call: Call, arguments: DialogArguments) -> Answer:
    intent = call.intent(arguments)

    async def do(tab: Tab) -> Answer:
        answered = tab.dialogs.facts
        outcome = await close_dialog(tab, accept=arguments.accept, text=arguments.text)
        max_tokens = call.client.settings.tools.max_tokens
        told = await action_data(tab, outcome, max_tokens=max_tokens, timeout_ms=intent.timeout_ms)
        return Answer({"answered": answered.kind if answered else "none", **told})

    return await call.gateway.on_tab(intent, do)


TOOLS = (
    Tool(
        name="browser_scroll",
        title="Scroll",
        description="Scroll by pixels, to an end, or an element into view.",
        arguments=ScrollArguments,
        effect="read",
        profiles=STANDARD,
        handler=scroll,
    ),
    Tool(
        name="browser_upload",
        title="Upload files",
        description="Give files to a file field.",
        arguments=UploadArguments,
        effect="upload",
        profiles=STANDARD,
        handler=upload,
        aims=lambda arguments: (Aim(arguments.element, fills=True),),
        destructive=True,
    ),
    Tool(
        name="browser_dialog",
        title="Answer a dialog",
        description="Accept or dismiss an open dialog.",
        arguments=DialogArguments,
        effect="write",
        profiles=STANDARD,
        handler=answer_dialog,
        answers_dialog=True,
        destructive=True,
    ),
    Tool(
        name="browser_drag",
        title="Drag",
        description="Drag one element onto another.",
        arguments=DragArguments,
        effect="write",
        profiles=FULL_ONLY,
        handler=drag,
        aims=lambda arguments: (Aim(arguments.from_), Aim(arguments.to)),
        destructive=True,
    ),
)
