"""When the debugger is on a driven tab and when it is not, and the way of commands in either case.

A tab that was let go, or that Chrome let go of, is asleep: commands for it are held, the debugger is attached again,
and they go on in order. Where another extension keeps us out of a page, commands are refused with the reason, and the
only thing that works is to leave it. A tab that cannot be had at all is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import PilotError
from . import cdp, interrupted
from .debugger import Debugger
from .driven_tab import Command, DrivenTab
from .link import BrowserLink, ChromeRefused

logger = logging.getLogger(__name__)


class Attachments:
    """``drop`` takes a tab away from its owner. ``barred_changed`` is called when it is, or no longer, kept from us."""

    def __init__(
        self,
        link: BrowserLink,
        tabs: Mapping[int, DrivenTab],
        *,
        drop: Callable[[DrivenTab], None],
        barred_changed: Callable[[], None],
    ) -> None:
        self.debugger = Debugger(link)
        self._link = link
        self._tabs = tabs
        self._drop = drop
        self._barred_changed = barred_changed
        self._locks: dict[int, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def attach(self, tab: DrivenTab) -> None:
        """For the first time: its owner is told of it."""
        async with self._lock(tab):
            if tab.state != "known":
                return
            try:
                await self.debugger.attach(tab, self._opener(tab))
            except PilotError as error:
                self._note_barred(tab, error)
                raise
            self._note_barred(tab, None)
            if tab.id not in self._tabs or tab.owner is None:
                return
            tab.state = "attached"
            tab.used_at = time.monotonic()
            tab.owner.announce(tab)

    def send(self, tab: DrivenTab, command: Command) -> None:
        if tab.state == "asleep" or tab.held:
            self._hold(tab, command)
        else:
            self._pass(tab, command)

    def wake(self, tab: DrivenTab) -> None:
        """Chrome has let go of it: attach it again at once, if it can be."""
        tab.state = "asleep"
        self._spawn_take_up(tab)

    def _hold(self, tab: DrivenTab, command: Command) -> None:
        tab.held.append(command)
        self._spawn_take_up(tab)

    def _spawn_take_up(self, tab: DrivenTab) -> None:
        task = asyncio.ensure_future(self._take_up(tab))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _pass(self, tab: DrivenTab, command: Command) -> None:
        def reply(result: Any, error: PilotError | None) -> None:
            why = error.message if isinstance(error, ChromeRefused) else ""
            cut = interrupted.is_interruption(why) or interrupted.is_barred(why)
            if not cut or tab.owner is None or tab.state not in ("attached", "asleep"):
                command.reply(result, error)
            elif interrupted.is_to_be_sent_again(command, why):
                tab.state = "asleep"
                self._hold(tab, command)
            else:
                interrupted.answer(command, why)

        self.debugger.send(tab, replace(command, reply=reply))

    async def _take_up(self, tab: DrivenTab) -> None:
        async with self._lock(tab):
            leaving: list[Command] = []
            while tab.state == "asleep" and tab.owner is not None:
                try:
                    await self.debugger.take_up(tab, tab.owner, self._opener(tab))
                except PilotError as error:
                    self._note_barred(tab, error)
                    if tab.barred and not leaving and (leaving := _taken(tab, "Page.navigate")):
                        await self._leave(tab, str(leaving[-1].params.get("url", "")))
                        continue
                    if not tab.barred:
                        self._drop(tab)
                    _refuse([*leaving, *_taken(tab)], _kept_out() if tab.barred else error)
                    return
            self._note_barred(tab, None)
            for command in leaving:
                command.reply({"frameId": tab.target_id, "loaderId": tab.told.frames.get(tab.target_id, "")}, None)
            for command in _taken(tab):
                if command.child is None or command.child in tab.children:
                    self._pass(tab, command)
                else:
                    command.reply(None, ChromeRefused("Session with given id not found."))

    async def _leave(self, tab: DrivenTab, url: str) -> None:
        try:
            await self._link.call("tabs.leave", tab.id, url)
        except PilotError as error:
            logger.info("a tab could not be led elsewhere: %s", error.message)

    def _note_barred(self, tab: DrivenTab, error: PilotError | None) -> None:
        barred = error is not None and interrupted.is_barred(error.message)
        if tab.barred != barred:
            tab.barred = barred
            self._barred_changed()

    def _opener(self, tab: DrivenTab) -> DrivenTab | None:
        return self._tabs.get(tab.opener) if tab.opener is not None else None

    def _lock(self, tab: DrivenTab) -> asyncio.Lock:
        return self._locks.setdefault(tab.id, asyncio.Lock())


def _taken(tab: DrivenTab, method: str | None = None) -> list[Command]:
    """What is held for a tab, or what of it is this command; it is held no longer."""
    taken = [command for command in tab.held if method in (None, command.method)]
    tab.held = [command for command in tab.held if command not in taken]
    return taken


def _refuse(commands: list[Command], error: PilotError) -> None:
    for command in commands:
        command.reply(None, error)


def _kept_out() -> ChromeRefused:
    return ChromeRefused(f"{cdp.BARRED}another extension has put a frame of its own into it.")
