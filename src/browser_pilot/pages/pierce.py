"""What only the debugger can see: which elements listen for clicks, and what closed shadow roots hold.

A script in the page, even in a world of its own, sees neither. The debugger does, so it looks them up and hands the
elements and roots to our world, which keeps them for its walks. Each is looked at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from playwright.async_api import Error as PlaywrightError

from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.world import Remote, World

_CLICKS = frozenset({"click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"})
# A page with more listeners than this is looked through once only: telling of them is slow.
_MANY_LISTENERS = 1_500
_MOST_ELEMENTS = 300


async def is_known(world: World, frame: Frame) -> bool:
    """Whether the document that the frame shows has been looked through before."""
    try:
        return (await world.installed(frame)).api in world.heard
    except PlaywrightError:
        return False


async def note_listeners(world: World, frame: Frame) -> bool:
    """Tell the frame's world of elements that listen for clicks; whether there were any that it did not know."""
    try:
        home = await world.installed(frame)
        if home.api in world.overheard:
            return False
        answer = await send(
            frame.session, "DOMDebugger.getEventListeners", objectId=home.document, depth=-1, pierce=True
        )
        listeners: list[dict[str, Any]] = answer["listeners"]
        if len(listeners) > _MANY_LISTENERS:
            world.overheard.add(home.api)
        known = world.heard.setdefault(home.api, set())
        nodes = {int(one["backendNodeId"]) for one in listeners if one["type"] in _CLICKS and "backendNodeId" in one}
        fresh = sorted(nodes - known)[:_MOST_ELEMENTS]
        known.update(fresh)
        elements = await _resolve(frame, home.context_id, fresh)
        if not elements:
            return False
        return bool(await world.call(frame, "noteListeners", elements=elements, repeatable=True))
    except PlaywrightError:
        return False  # the frame went away; whoever walks it finds out


async def open_roots(world: World, frame: Frame) -> bool:
    """Open the closed shadow roots that the last walk came upon; whether there were any."""
    try:
        home = await world.installed(frame)
        suspects = await world.call_for_object(frame, "suspectList")
        if suspects is None:
            return False
        answer = await send(frame.session, "Runtime.getProperties", objectId=suspects.object_id, ownProperties=True)
        hosts = [
            Remote(frame, str(one["value"]["objectId"]))
            for one in answer["result"]
            if one["name"].isdigit() and "objectId" in one.get("value", {})
        ]
        opened = await asyncio.gather(*(_open_root(world, frame, home.context_id, host) for host in hosts))
        return any(opened)
    except PlaywrightError:
        return False


async def _open_root(world: World, frame: Frame, context_id: int, host: Remote) -> bool:
    answer = await send(frame.session, "DOM.describeNode", objectId=host.object_id, depth=1, pierce=True)
    roots = [root["backendNodeId"] for root in answer["node"].get("shadowRoots", [])]
    elements = await _resolve(frame, context_id, roots)
    if not elements:
        return False
    await world.call(frame, "openRoot", elements=(host, elements[0]), repeatable=True)
    return True


async def _resolve(frame: Frame, context_id: int, nodes: Iterable[int]) -> list[Remote]:
    async def one(node: int) -> Remote | None:
        try:
            answer = await send(frame.session, "DOM.resolveNode", backendNodeId=node, executionContextId=context_id)
        except PlaywrightError:
            return None  # it belongs to another frame, or is gone
        return Remote(frame, str(answer["object"]["objectId"]))

    return [remote for remote in await asyncio.gather(*map(one, nodes)) if remote is not None]
