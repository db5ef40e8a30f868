"""Finds elements with click listeners, and closed shadow roots, through CDP.

No script has access to them, not even in an isolated world. Each is looked up once and passed to our isolated world
(``cdp_facts.js``), which uses them in its walks. ``World.listener_facts`` holds what was found per document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from playwright.async_api import Error as PlaywrightError

from browser_pilot.page.cdp import send
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import ListenerFacts, RemoteObject, World

_CLICKS = frozenset({"click", "dblclick"})
_PRESSES = frozenset({"mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"})
# A page with more listeners than this is searched once only: to list them is slow.
_MAX_LISTENERS = 1_500
_MAX_ELEMENTS = 300


async def is_listed(world: World, frame: Frame) -> bool:
    """Whether the listeners of the frame's document have been looked up before."""
    try:
        return (await world.install(frame)).api in world.listener_facts
    except PlaywrightError:
        return False


async def pass_listeners(world: World, frame: Frame) -> bool:
    """Pass elements with click listeners to the frame's world; whether there were new ones."""
    try:
        installed = await world.install(frame)
        facts = world.listener_facts.get(installed.api)
        if facts is None:
            facts = world.listener_facts[installed.api] = ListenerFacts(await _page_document(world, frame))
        if facts.too_many:
            return False
        listeners = await _listeners(frame, facts.document)
        facts.too_many = len(listeners) > _MAX_LISTENERS
        return await _pass_listeners(world, frame, installed.context_id, facts, listeners)
    except PlaywrightError:
        return False  # the frame is gone, so the walk fails too


async def pass_root_listeners(world: World, frame: Frame) -> bool:
    """The same for the shadow roots that the last walk met for the first time."""
    try:
        installed = await world.install(frame)
        facts = world.listener_facts.get(installed.api)
        roots = await _listed(world, frame, "takeNewRoots")
        if facts is None or not roots:
            return False
        found = await asyncio.gather(*(_listeners_inside(frame, root) for root in roots))
        return await _pass_listeners(
            world, frame, installed.context_id, facts, [one for listeners in found for one in listeners]
        )
    except PlaywrightError:
        return False


async def _pass_listeners(
    world: World, frame: Frame, context_id: int, facts: ListenerFacts, listeners: Sequence[Mapping[str, Any]]
) -> bool:
    """Pass elements with listeners to our world; whether there were new ones."""
    added = 0
    for kind in (_CLICKS, _PRESSES):
        nodes = {int(one["backendNodeId"]) for one in listeners if one["type"] in kind and "backendNodeId" in one}
        fresh = sorted(nodes - facts.nodes)[:_MAX_ELEMENTS]
        facts.nodes.update(fresh)
        if elements := await _resolve(frame, context_id, fresh):
            count = await world.call(frame, "noteListeners", kind is _CLICKS, elements=elements, repeatable=True)
            added += cast("int", count)
    return added > 0


async def _listeners(frame: Frame, object_id: str) -> list[dict[str, Any]]:
    response = await send(frame.session, "DOMDebugger.getEventListeners", objectId=object_id, depth=-1)
    return response["listeners"]


async def _listeners_inside(frame: Frame, root: RemoteObject) -> list[dict[str, Any]]:
    try:
        return await _listeners(frame, await _in_main_world(frame, root.object_id))
    except PlaywrightError:
        return []  # it is gone


async def _page_document(world: World, frame: Frame) -> str:
    """The document as an object of the page's main world, where its listeners are.

    From our world ``pierce`` would be needed to list them, and after that Chromium 156 crashed when certain pages were
    walked.
    """
    ours = await world.call_for_object(frame, "documentNode")
    return await _in_main_world(frame, ours.object_id if ours else "")


async def _in_main_world(frame: Frame, object_id: str) -> str:
    node = (await send(frame.session, "DOM.describeNode", objectId=object_id))["node"]["backendNodeId"]
    return str((await send(frame.session, "DOM.resolveNode", backendNodeId=node))["object"]["objectId"])


async def _listed(world: World, frame: Frame, function: str) -> list[RemoteObject]:
    """The nodes of an array in our world."""
    array = await world.call_for_object(frame, function)
    if array is None:
        return []
    response = await send(frame.session, "Runtime.getProperties", objectId=array.object_id, ownProperties=True)
    return [
        RemoteObject(frame, str(one["value"]["objectId"]))
        for one in response["result"]
        if one["name"].isdigit() and "objectId" in one.get("value", {})
    ]


async def open_roots(world: World, frame: Frame) -> bool:
    """Open the closed shadow roots that the last walk suspected; whether there were any."""
    try:
        installed = await world.install(frame)
        hosts = await _listed(world, frame, "takeSuspectedHosts")
        opened = await asyncio.gather(*(_open_root(world, frame, installed.context_id, host) for host in hosts))
        return any(opened)
    except PlaywrightError:
        return False


async def _open_root(world: World, frame: Frame, context_id: int, host: RemoteObject) -> bool:
    response = await send(frame.session, "DOM.describeNode", objectId=host.object_id, depth=1, pierce=True)
    roots = [root["backendNodeId"] for root in response["node"].get("shadowRoots", [])]
    elements = await _resolve(frame, context_id, roots)
    if not elements:
        return False
    await world.call(frame, "openRoot", elements=(host, elements[0]), repeatable=True)
    return True


async def _resolve(frame: Frame, context_id: int, nodes: Iterable[int]) -> list[RemoteObject]:
    async def one(node: int) -> RemoteObject | None:
        try:
            response = await send(frame.session, "DOM.resolveNode", backendNodeId=node, executionContextId=context_id)
        except PlaywrightError:
            return None  # it is in another frame, or gone
        return RemoteObject(frame, str(response["object"]["objectId"]))

    return [remote for remote in await asyncio.gather(*map(one, nodes)) if remote is not None]
