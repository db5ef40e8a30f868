"""Giving files to a page: through its file field, hidden or not, or through the chooser that a button opens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from browser_pilot.errors import ElementNotActionable, InvalidArgument
from browser_pilot.pages.action import PATIENCE_MS, Hand, perform
from browser_pilot.pages.cdp import send
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.pointer import click_target
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import ElementArgument, Target, find

_CHOOSER_SECONDS = 2.0


async def upload(
    tab: Tab, element: ElementArgument, paths: Sequence[Path], *, timeout_ms: int = PATIENCE_MS
) -> Outcome:
    """Choose files for a file field, its label, or a button that asks for files. All paths must exist here."""
    names = [str(_checked(path)) for path in paths]
    target = await find(tab, element)

    async def act(hand: Hand) -> Reply | None:
        await hand.ask(target, "still", target.aimed, patience_ms=0)
        found = await tab.world.call_for_object(target.frame, "fileField", target.ref)
        hand.acts()
        if found is not None:
            await _offer(hand, target, names, {"objectId": found.object_id}, target.frame.session)
        else:
            await _through_chooser(hand, target, names, timeout_ms)
        return await hand.aftermath("settled")

    return await perform(tab, target, act)


def _checked(path: Path) -> Path:
    try:
        whole = path.expanduser().absolute()
        there = whole.exists()
    except (OSError, ValueError):
        whole, there = path, False  # no system has such a name
    if not there:
        raise InvalidArgument(f"There is no file {str(path)!r}.", suggestions=["Give the path of a file that exists."])
    return whole


async def _offer(hand: Hand, target: Target, names: list[str], node: dict[str, Any], session: Any) -> None:
    """Put files into a field and see that they are there."""
    world = hand.tab.world
    facts = cast("dict[str, Any]", await world.call(target.frame, "fileFacts", target.ref))
    _check_fit(names, facts)
    await send(session, "DOM.setFileInputFiles", files=names, **node)
    held = cast("dict[str, Any]", await world.call(target.frame, "fileFacts", target.ref))["files"]
    expected = [Path(name).name for name in names]
    if facts["known"] and not facts["folder"] and held != expected:
        hand.notices.append(f"The field now holds {', '.join(held) or 'no file'}: the page did not keep the files.")


def _check_fit(names: list[str], facts: dict[str, Any]) -> None:
    folders = [name for name in names if Path(name).is_dir()]
    if folders and not facts["folder"]:
        raise InvalidArgument(
            f"{folders[0]!r} is a folder; the field takes files.", suggestions=["Give the paths of the files in it."]
        )
    if len(names) > 1 and facts["known"] and not facts["multiple"]:
        raise InvalidArgument("The field takes one file only.", suggestions=["Upload the files one by one."])


async def _through_chooser(hand: Hand, target: Target, names: list[str], timeout_ms: int) -> None:
    """Click the element, and answer the file chooser that it opens."""
    opened: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def note(event: dict[str, Any]) -> None:
        if not opened.done():
            opened.set_result(event)

    hand.session.on("Page.fileChooserOpened", note)
    await send(hand.session, "Page.setInterceptFileChooserDialog", enabled=True)
    try:
        await click_target(hand, target, timeout_ms)
        async with asyncio.timeout(_CHOOSER_SECONDS):
            event = await opened
    except TimeoutError:
        raise ElementNotActionable(
            f"{target.words} is no file field, and no file chooser opened when it was clicked.",
            suggestions=["Use the ref of the file field or of the button that asks for files."],
        ) from None
    finally:
        hand.session.remove_listener("Page.fileChooserOpened", note)
        await asyncio.shield(send(hand.session, "Page.setInterceptFileChooserDialog", enabled=False))
    _check_fit(names, {"known": True, "multiple": event["mode"] == "selectMultiple", "folder": False})
    await send(hand.session, "DOM.setFileInputFiles", files=names, backendNodeId=event["backendNodeId"])
