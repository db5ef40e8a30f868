"""The one acting tool of the minimal profile: click, type, hover, select, press."""

from __future__ import annotations

from typing import Literal

from ...errors import InvalidArgument
from ...pages import act
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import MINIMAL_ONLY, Call, Tool
from ..schema import TabArguments
from .arguments import Element
from .pages import page_data, snapshot_data

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
        await _act(tab, arguments, timeout_ms)
        if arguments.snapshot:
            return Answer({"success": True, **await snapshot_data(tab, timeout_ms=timeout_ms)})
        return Answer({"success": True, **await page_data(tab)})

    return await call.gateway.on_tab(intent, do)


async def _act(tab: Tab, arguments: InteractArguments, timeout_ms: int) -> None:
    element, text, key, value = arguments.element, arguments.text, arguments.key, arguments.value
    match arguments.action:
        case "click" if element is not None:
            await act.click(tab, element, timeout_ms=timeout_ms)
        case "type" if element is not None and text is not None:
            await act.type_text(tab, element, text, clear=True, submit=False, slowly=False, timeout_ms=timeout_ms)
        case "hover" if element is not None:
            await act.hover(tab, element, timeout_ms=timeout_ms)
        case "select" if element is not None and value is not None:
            await act.select(tab, element, [value], timeout_ms=timeout_ms)
        case _ if key is not None:
            await act.press(tab, key, element, timeout_ms=timeout_ms)
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
