"""The one acting tool of the minimal profile: click, type, hover, select, press."""

from __future__ import annotations

from typing import Literal

from ...errors import InvalidArgument
from ...pages import forms, keyboard, pointer
from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import MINIMAL_ONLY, Call, Tool
from ..schema import TabArguments
from .acting import patience_ms
from .arguments import Element
from .pages import outcome_data, snapshot_data

NEEDS: dict[str, tuple[str, ...]] = {
    "click": ("element",),
    "type": ("element", "text"),
    "hover": ("element",),
    "select": ("element", "value"),
    "press": ("key",),
}


class InteractArguments(TabArguments):
    action: Literal["click", "type", "hover", "select", "press"]
    element: Element | None = None
    text: str | None = None
    key: str | None = None
    value: str | None = None
    snapshot: bool = False


async def interact(call: Call, arguments: InteractArguments) -> Answer:
    missing = [name for name in NEEDS[arguments.action] if getattr(arguments, name) is None]
    if missing:
        raise InvalidArgument(f"Action {arguments.action!r} needs {', '.join(missing)}.")
    intent = call.intent(arguments)
    timeout_ms = intent.timeout_ms

    async def do(tab: Tab) -> Answer:
        outcome = await _act(tab, arguments)
        if arguments.snapshot and outcome.dialog is None:
            view = await snapshot_data(tab, timeout_ms=timeout_ms)
            return Answer({"success": True, **outcome.facts(), **view})
        return Answer({"success": True, **await outcome_data(tab, outcome)})

    return await call.gateway.on_tab(intent, do)


async def _act(tab: Tab, arguments: InteractArguments) -> Outcome:
    timeout_ms = patience_ms(arguments)
    element, text, key, value = arguments.element, arguments.text, arguments.key, arguments.value
    match arguments.action:
        case "click" if element is not None:
            return await pointer.click(tab, element, timeout_ms=timeout_ms)
        case "type" if element is not None and text is not None:
            return await keyboard.type_text(tab, element, text, timeout_ms=timeout_ms)
        case "hover" if element is not None:
            return await pointer.hover(tab, element, timeout_ms=timeout_ms)
        case "select" if element is not None and value is not None:
            return await forms.select(tab, element, [value], timeout_ms=timeout_ms)
        case _ if key is not None:
            return await keyboard.press(tab, key, element, timeout_ms=timeout_ms)
        case _:
            raise AssertionError("arguments were checked before")


TOOLS = (
    Tool(
        name="browser_interact",
        title="Act on the page",
        description="Click, type, hover, select or press; `snapshot` adds the page after it.",
        arguments=InteractArguments,
        effect="write",
        profiles=MINIMAL_ONLY,
        handler=interact,
        destructive=True,
    ),
)
