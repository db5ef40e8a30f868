"""What only the debugger can see: which elements listen for clicks, and what closed shadow roots hold.

A script in the page, even in a world of its own, sees neither. The debugger does, so it looks them up and hands the
elements and roots to our world, which keeps them for its walks. Each is looked at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from playwright.async_api import Error as PlaywrightError

from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.world import Heard, Remote, World

_CLICKS = frozenset({"click", "dblclick"})
_PRESSES = frozenset({"mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"})
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
        heard = world.heard.get(home.api)
        if heard is None:
            heard = world.heard[home.api] = Heard(await _page_document(world, frame))
        if heard.too_many:
            return False
        listeners = await _listeners(frame, heard.document)
        heard.too_many = len(listeners) > _MANY_LISTENERS
        return await _tell(world, frame, home.context_id, heard, listeners)
    except PlaywrightError:
        return False  # the frame went away; whoever walks it finds out


async def note_root_listeners(world: World, frame: Frame) -> bool:
    """The same for what is inside the shadow roots that the last walk came through for the first time."""
    try:
        home = await world.installed(frame)
        heard = world.heard.get(home.api)
        roots = await _listed(world, frame, "unheardRoots")
        if heard is None or not roots:
            return False
        found = await asyncio.gather(*(_listeners_inside(frame, root) for root in roots))
        return await _tell(world, frame, home.context_id, heard, [one for listeners in found for one in listeners])
    except PlaywrightError:
        return False


async def _tell(
    world: World, frame: Frame, context_id: int, heard: Heard, listeners: Sequence[Mapping[str, Any]]
) -> bool:
    """Tell our world of elements with listeners; whether there were any that it did not know."""
    noted = 0
    for kind in (_CLICKS, _PRESSES):
        nodes = {int(one["backendNodeId"]) for one in listeners if one["type"] in kind and "backendNodeId" in one}
        fresh = sorted(nodes - heard.nodes)[:_MOST_ELEMENTS]
        heard.nodes.update(fresh)
        if elements := await _resolve(frame, context_id, fresh):
            told = await world.call(frame, "noteListeners", kind is _CLICKS, elements=elements, repeatable=True)
            noted += cast("int", told)
    return noted > 0


async def _listeners(frame: Frame, object_id: str) -> list[dict[str, Any]]:
    answer = await send(frame.session, "DOMDebugger.getEventListeners", objectId=object_id, depth=-1)
    return answer["listeners"]


async def _listeners_inside(frame: Frame, root: Remote) -> list[dict[str, Any]]:
    try:
        return await _listeners(frame, await _in_page_world(frame, root.object_id))
    except PlaywrightError:
        return []  # it is gone by now


async def _page_document(world: World, frame: Frame) -> str:
    """The document as an object of the page's own world, which is where its listeners are told from.

    Asked from our world it would take ``pierce`` to hear of them, and after that Chromium 156 crashed when certain
    pages were walked.
    """
    ours = await world.call_for_object(frame, "documentNode")
    return await _in_page_world(frame, ours.object_id if ours else "")


async def _in_page_world(frame: Frame, object_id: str) -> str:
    node = (await send(frame.session, "DOM.describeNode", objectId=object_id))["node"]["backendNodeId"]
    return str((await send(frame.session, "DOM.resolveNode", backendNodeId=node))["object"]["objectId"])


async def _listed(world: World, frame: Frame, function: str) -> list[Remote]:
    """The nodes of an array that our world gives out."""
    array = await world.call_for_object(frame, function)
    if array is None:
        return []
    answer = await send(frame.session, "Runtime.getProperties", objectId=array.object_id, ownProperties=True)
    return [
        Remote(frame, str(one["value"]["objectId"]))
        for one in answer["result"]
        if one["name"].isdigit() and "objectId" in one.get("value", {})
    ]


async def open_roots(world: World, frame: Frame) -> bool:
    """Open the closed shadow roots that the last walk came upon; whether there were any."""
    try:
        home = await world.installed(frame)
        hosts = await _listed(world, frame, "suspectList")
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
