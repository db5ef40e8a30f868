"""What only CDP can see: which elements have click listeners, and closed shadow roots.

No script can see them, not even in an isolated world. CDP looks them up, once each, and passes the elements and roots
to our isolated world (``cdp_facts.js``), which uses them in its walks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from playwright.async_api import Error as PlaywrightError

from browser_pilot.page.cdp import send
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import ListenerFacts, Remote, World

_CLICKS = frozenset({"click", "dblclick"})
_PRESSES = frozenset({"mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"})
# A page with more listeners than this is searched once only: reporting them is slow.
_MANY_LISTENERS = 1_500
_MAX_ELEMENTS = 300


async def is_listed(world: World, frame: Frame) -> bool:
    """Whether the listeners of the frame's document have been looked up before."""
    try:
        return (await world.installed(frame)).api in world.listener_facts
    except PlaywrightError:
        return False


async def pass_listeners(world: World, frame: Frame) -> bool:
    """Pass elements with click listeners to the frame's world; whether there were new ones."""
    try:
        home = await world.installed(frame)
        heard = world.listener_facts.get(home.api)
        if heard is None:
            heard = world.listener_facts[home.api] = ListenerFacts(await _page_document(world, frame))
        if heard.too_many:
            return False
        listeners = await _listeners(frame, heard.document)
        heard.too_many = len(listeners) > _MANY_LISTENERS
        return await _pass_listeners(world, frame, home.context_id, heard, listeners)
    except PlaywrightError:
        return False  # the frame is gone; the walk will fail


async def pass_root_listeners(world: World, frame: Frame) -> bool:
    """The same for the shadow roots that the last walk met for the first time."""
    try:
        home = await world.installed(frame)
        heard = world.listener_facts.get(home.api)
        roots = await _listed(world, frame, "takeNewRoots")
        if heard is None or not roots:
            return False
        found = await asyncio.gather(*(_listeners_inside(frame, root) for root in roots))
        return await _pass_listeners(
            world, frame, home.context_id, heard, [one for listeners in found for one in listeners]
        )
    except PlaywrightError:
        return False


async def _pass_listeners(
    world: World, frame: Frame, context_id: int, heard: ListenerFacts, listeners: Sequence[Mapping[str, Any]]
) -> bool:
    """Pass elements with listeners to our world; whether there were new ones."""
    added = 0
    for kind in (_CLICKS, _PRESSES):
        nodes = {int(one["backendNodeId"]) for one in listeners if one["type"] in kind and "backendNodeId" in one}
        fresh = sorted(nodes - heard.nodes)[:_MAX_ELEMENTS]
        heard.nodes.update(fresh)
        if elements := await _resolve(frame, context_id, fresh):
            count = await world.call(frame, "noteListeners", kind is _CLICKS, elements=elements, repeatable=True)
            added += cast("int", count)
    return added > 0


async def _listeners(frame: Frame, object_id: str) -> list[dict[str, Any]]:
    answer = await send(frame.session, "DOMDebugger.getEventListeners", objectId=object_id, depth=-1)
    return answer["listeners"]


async def _listeners_inside(frame: Frame, root: Remote) -> list[dict[str, Any]]:
    try:
        return await _listeners(frame, await _in_main_world(frame, root.object_id))
    except PlaywrightError:
        return []  # it is gone


async def _page_document(world: World, frame: Frame) -> str:
    """The document as an object of the page's main world, where its listeners are.

    From our world ``pierce`` would be needed to see them, and after that Chromium 156 crashed when certain pages were
    walked.
    """
    ours = await world.call_for_object(frame, "documentNode")
    return await _in_main_world(frame, ours.object_id if ours else "")


async def _in_main_world(frame: Frame, object_id: str) -> str:
    node = (await send(frame.session, "DOM.describeNode", objectId=object_id))["node"]["backendNodeId"]
    return str((await send(frame.session, "DOM.resolveNode", backendNodeId=node))["object"]["objectId"])


async def _listed(world: World, frame: Frame, function: str) -> list[Remote]:
    """The nodes of an array in our world."""
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
    """Open the closed shadow roots that the last walk suspected; whether there were any."""
    try:
        home = await world.installed(frame)
        hosts = await _listed(world, frame, "takeSuspectedHosts")
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
            return None  # it is in another frame, or gone
        return Remote(frame, str(answer["object"]["objectId"]))

    return [remote for remote in await asyncio.gather(*map(one, nodes)) if remote is not None]
