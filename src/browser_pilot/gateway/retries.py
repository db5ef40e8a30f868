"""Which errors lead to another attempt: the page is no longer as it was inspected, and nothing was sent."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from browser_pilot.errors import ElementChanged, PilotError, StaleRef
from browser_pilot.page.actions.scripts.side_effect_free import PossibleSideEffect
from browser_pilot.page.actions.selectors import is_selector
from browser_pilot.page.downloads.transfers import ExecutableFile

from .context import ToolContext
from .tool_call import ToolCall

# Each of them was raised in place of the effect.
NOT_ATTEMPTED = (ElementChanged, StaleRef, ExecutableFile, PossibleSideEffect)


class InspectAgain(Exception):
    """``call`` has to be inspected and authorized again, because of ``error``."""

    def __init__(self, call: ToolCall, error: PilotError) -> None:
        super().__init__(str(error))
        self.call = call
        self.error = error


@contextmanager
def outdated_inspection(call: ToolCall, context: ToolContext | None = None) -> Generator[None]:
    """Raises ``InspectAgain`` in place of an error after which another attempt is right. ``context`` is that of the
    execution; without one, nothing can have been sent.
    """
    try:
        yield
    except NOT_ATTEMPTED as error:
        again = next_attempt(call, error, sent=context is not None and context.may_have_taken_effect)
        if again is None:
            raise
        raise InspectAgain(again, error) from error


def next_attempt(call: ToolCall, error: PilotError, *, sent: bool) -> ToolCall | None:
    """The call with what the error revealed, or None if there must be no other attempt. Pure."""
    if isinstance(error, StaleRef):
        return call if not sent and _is_named_by_selectors(call) else None
    if isinstance(error, PossibleSideEffect):
        return replace(call, has_side_effects=True)
    if isinstance(error, ExecutableFile):
        return replace(call, executable=error.extension)
    return call


def _is_named_by_selectors(call: ToolCall) -> bool:
    """A selector can be resolved again: the page may have replaced the element, or Chrome detached from the tab, which
    ends all refs.
    """
    return bool(call.targets) and all(is_selector(spec.element) for spec in call.targets)
