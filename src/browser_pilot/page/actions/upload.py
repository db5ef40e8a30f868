"""Uploading files: through a file field, hidden or not, or through the file chooser that a button opens."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from browser_pilot.errors import ElementChanged, ElementNotActionable, InvalidArgument
from browser_pilot.page.cdp import send
from browser_pilot.safe_text import sanitize

from .context import ActionContext
from .mouse import click_target
from .outcome import Outcome
from .resolve import Target
from .runner import TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

_CHOOSER_TIMEOUT_SECONDS = 2.0


async def upload(
    context: ActionContext, target: Target, paths: Sequence[Path], *, timeout_ms: int = TIMEOUT_MS
) -> Outcome:
    """Choose files for a file field, its label, or a button that opens a file chooser.

    The paths are real ones: a part of a path that has become a link leads to another file than the authorized one.
    """
    names = [str(_existing(path)) for path in paths]

    async def execute(action: RunningAction) -> PageReport | None:
        _require_no_links(names)
        await action.call_target(target, "guardTarget", target.wire_ref, timeout_ms=0)
        found = await action.tab.world.call_for_object(target.frame, "fileInput", target.ref)
        action.mark_sent()
        if found is not None:
            await _set_files(action, target, names, {"objectId": found.object_id}, target.frame.session)
        else:
            await _through_chooser(action, target, names, timeout_ms)
        return await action.result_of("waitIdle")

    return await run_action(context, target, execute)


def _require_no_links(names: Sequence[str]) -> None:
    if any(os.path.realpath(name) != name for name in names):
        raise ElementChanged("A file was replaced by a link after it was authorized.")


def _existing(path: Path) -> Path:
    try:
        absolute = path.expanduser().absolute()
        exists = absolute.exists()
    except (OSError, ValueError):
        absolute, exists = path, False  # not a valid path on this system
    if not exists:
        raise InvalidArgument(f"There is no file {str(path)!r}.", suggestions=["Give the path of a file that exists."])
    return absolute


async def _set_files(
    action: RunningAction, target: Target, names: list[str], node: dict[str, Any], session: Any
) -> None:
    """Set the files of a field and verify that it holds them."""
    world = action.tab.world
    facts = cast("dict[str, Any]", await world.call(target.frame, "fileInputFacts", target.ref))
    _check_fit(names, facts)
    await send(session, "DOM.setFileInputFiles", files=names, **node)
    held = cast("dict[str, Any]", await world.call(target.frame, "fileInputFacts", target.ref))["files"]
    expected = [sanitize(Path(name).name) for name in names]  # as the page's reply is
    if facts["known"] and not facts["folder"] and held != expected:
        action.notices.append(f"The field now holds {', '.join(held) or 'no file'}: the page did not keep the files.")


def _check_fit(names: list[str], facts: dict[str, Any]) -> None:
    folders = [name for name in names if Path(name).is_dir()]
    if folders and not facts["folder"]:
        raise InvalidArgument(
            f"{folders[0]!r} is a folder; the field takes files.", suggestions=["Give the paths of the files in it."]
        )
    if len(names) > 1 and facts["known"] and not facts["multiple"]:
        raise InvalidArgument("The field takes one file only.", suggestions=["Upload the files one by one."])


async def _through_chooser(action: RunningAction, target: Target, names: list[str], timeout_ms: int) -> None:
    """Click the element, and respond to the file chooser that it opens."""
    opened: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def on_opened(event: dict[str, Any]) -> None:
        if not opened.done():
            opened.set_result(event)

    action.session.on("Page.fileChooserOpened", on_opened)
    await send(action.session, "Page.setInterceptFileChooserDialog", enabled=True)
    try:
        await click_target(action, target, timeout_ms)
        async with asyncio.timeout(_CHOOSER_TIMEOUT_SECONDS):
            event = await opened
    except TimeoutError:
        raise ElementNotActionable(
            f"{target.description} is no file field, and no file chooser opened when it was clicked.",
            suggestions=["Use the ref of the file field or of the button that opens a file chooser."],
        ) from None
    finally:
        action.session.remove_listener("Page.fileChooserOpened", on_opened)
        await asyncio.shield(send(action.session, "Page.setInterceptFileChooserDialog", enabled=False))
    _check_fit(names, {"known": True, "multiple": event["mode"] == "selectMultiple", "folder": False})
    await send(action.session, "DOM.setFileInputFiles", files=names, backendNodeId=event["backendNodeId"])
