"""The one acting tool of the minimal profile: click, type, hover, select, press."""

from __future__ import annotations

from typing import Literal

from ...errors import InvalidArgument
from ...pages import forms, keyboard, pointer
from ...pages.facts import Aim
from ...pages.outcome import Outcome
from ...pages.tab import Tab
from ..answers import Answer
from ..registry import MINIMAL_ONLY, Call, Tool
from ..schema import TabArguments
from .acting import key_aims, patience_ms
from .arguments import Element
from .pages import action_data, whole_page


class InteractArguments(TabArguments):
    action: Literal["click", "type", "hover", "select", "press"]
    element: Element | None = None
    text: str | None = None
    key: str | None = None
    value: str | None = None
    snapshot: bool = False


def interact_aims(arguments: InteractArguments) -> tuple[Aim, ...]:
    if arguments.action == "press":
        return key_aims(arguments.key or "", arguments.element)
    return () if arguments.element is None else (Aim(arguments.element, fills=arguments.action in ("type", "select")),)


async def interact(call: Call, arguments: InteractArguments) -> Answer:
    intent = call.intent(arguments)
    timeout_ms, max_tokens = intent.timeout_ms, call.client.settings.tools.max_tokens

    async def do(tab: Tab) -> Answer:
        outcome = await _act(tab, arguments, patience_ms(timeout_ms))
        tell = whole_page if arguments.snapshot else action_data
        return Answer({"success": True, **await tell(tab, outcome, max_tokens=max_tokens, timeout_ms=timeout_ms)})

    return await call.gateway.on_tab(intent, do)


async def _act(tab: Tab, arguments: InteractArguments, timeout_ms: int) -> Outcome:
    element, text, key, value = arguments.element, arguments.text, arguments.key, arguments.value
    match arguments.action:
        case "click" if element is not None:
            return await pointer.click(tab, element, timeout_ms=timeout_ms)
        case "hover" if element is not None:
            return await pointer.hover(tab, element, timeout_ms=timeout_ms)
        case "type" if element is not None and text is not None:
            return await keyboard.type_text(tab, element, text, timeout_ms=timeout_ms)
        case "select" if element is not None and value is not None:
            return await forms.select(tab, element, [value], timeout_ms=timeout_ms)
        case "press" if key is not None:
            return await keyboard.press(tab, key, element, timeout_ms=timeout_ms)
        case action:
            needs = {"type": "element and text", "select": "element and value", "press": "key"}.get(action, "element")
            raise InvalidArgument(f"Action {action!r} needs {needs}.", suggestions=[f"Give {needs}."])


TOOLS = (
    Tool(
        name="browser_interact",
        title="Act on the page",
        description="Click, type, hover, select or press; `snapshot` adds the page after it.",
        arguments=InteractArguments,
        effect="write",
        profiles=MINIMAL_ONLY,
        handler=interact,
        aims=interact_aims,
        destructive=True,
    ),
)
