"""Scrolling the page, a scroll container, or an element into view."""

from __future__ import annotations

from typing import Literal

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.cdp import send

from .actionability_errors import actionability_error
from .context import ActionContext
from .mouse import Point, actionable_point, move_into
from .outcome import Outcome
from .resolve import ElementArgument, Target, resolve
from .runner import TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

Goal = Literal["top", "bottom", "element"]


async def scroll(
    context: ActionContext,
    element: ElementArgument | None = None,
    *,
    dx: int = 0,
    dy: int = 0,
    to: Goal | None = None,
    timeout_ms: int = TIMEOUT_MS,
) -> Outcome:
    """Scroll by pixels or to an end: the scroll container of ``element``, or the page.

    ``to="element"`` scrolls the element into view. Where nothing scrolls (a map, a canvas), mouse wheel events are
    sent instead.
    """
    if to == "element" and element is None:
        raise InvalidArgument("`to: element` needs `element`.", suggestions=["Name the element to bring into view."])
    if to is None and not (dx or dy):
        if element is None:
            raise InvalidArgument("Scroll by how much, or where to?", suggestions=["Give dy, dx or to."])
        to = "element"
    target = await resolve(context.tab, element, pointing=True) if element is not None else None

    async def execute(action: RunningAction) -> PageReport | None:
        action.mark_sent()
        ref = target.ref if target else None
        reply = await action.result_of("scrollTarget", ref, {"dx": dx, "dy": dy, "to": to})
        if reply is None:
            return None
        if target is not None and "error" in reply:
            raise actionability_error(target.description, reply)
        if not reply["moved"] and to is None:
            await _wheel(action, target, dx, dy, timeout_ms)
        result = await action.result_of("scrollResult", ref)
        action.notices.append(_position(result, moved=bool(reply["moved"])))
        return result

    outcome = await run_action(context, target, execute)
    return outcome if target is None else outcome.with_hits(target)


async def _wheel(action: RunningAction, target: Target | None, dx: int, dy: int, timeout_ms: int) -> None:
    size = action.tab.page.viewport_size
    middle = Point(size["width"] / 2, size["height"] / 2) if size else Point(200, 200)
    point = await actionable_point(action, target, timeout_ms) if target is not None else middle
    if target is not None:
        await move_into(action, target, point, timeout_ms)
    await send(
        action.session, "Input.dispatchMouseEvent", type="mouseWheel", x=point.x, y=point.y, deltaX=dx, deltaY=dy
    )


def _position(result: PageReport | None, *, moved: bool) -> str:
    """The scroll position, for callers that scroll to the end."""
    position = result.get("scroll") if result else None
    if not position:
        return "Scrolled."
    top, height, total = int(position["top"]), int(position["height"]), int(position["total"])
    below = max(0, total - height - top)
    where = "at the bottom" if below <= 1 else f"{below} px below"
    return f"{'Scrolled' if moved else 'Nothing moved'}: {top} px above, {where}."
