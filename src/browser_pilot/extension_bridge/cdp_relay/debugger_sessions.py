"""Decides when the debugger is attached to a controlled tab, and what happens to commands while it is not.

A suspended tab was detached because it was idle, or by Chrome: its commands are queued, the debugger is reattached, and
they continue in order. Where another extension's frame keeps us out of a page, commands are refused with the reason;
only navigating away works. A tab that cannot be reattached is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import PilotError
from browser_pilot.extension_bridge.extension_connection import ChromeRefused, ExtensionConnection
from browser_pilot.upstream_errors import OTHER_EXTENSIONS_FRAME, SESSION_NOT_FOUND, RelayError, is_detached

from . import detach_recovery
from .controlled_tab import AttachEvent, AttachState, Command, ControlledTab
from .debugger import Debugger

logger = logging.getLogger(__name__)


class DebuggerSessions:
    """``drop`` takes a tab from its owner. ``on_barred_change``: Chrome starts or stops to keep us out."""

    def __init__(
        self,
        connection: ExtensionConnection,
        tabs: Mapping[int, ControlledTab],
        *,
        drop: Callable[[ControlledTab], None],
        on_barred_change: Callable[[], None],
    ) -> None:
        self.debugger = Debugger(connection)
        self._connection = connection
        self._tabs = tabs
        self._drop = drop
        self._on_barred_change = on_barred_change
        self._locks: dict[int, asyncio.Lock] = {}
        self._tasks = BackgroundTasks("the debugger sessions")

    async def attach(self, tab: ControlledTab) -> None:
        """Attach for the first time, and announce the tab to its owner."""
        async with self._lock(tab):
            if tab.state is not AttachState.UNATTACHED:
                return
            try:
                await self.debugger.attach(tab, self._opener(tab))
            except PilotError as error:
                self._set_barred(tab, error)
                raise
            self._set_barred(tab, None)
            if tab.id not in self._tabs or tab.owner is None:
                return
            tab.transition(AttachEvent.ATTACHED)
            tab.used_at = time.monotonic()
            tab.owner.announce(tab)

    def send(self, tab: ControlledTab, command: Command) -> None:
        if tab.state is AttachState.SUSPENDED or tab.held_commands:
            self._hold(tab, command)
        else:
            self._send_now(tab, command)

    def on_detached(self, tab: ControlledTab) -> None:
        """Chrome has detached: reattach at once, if possible."""
        tab.transition(AttachEvent.DETACHED)
        self._tasks.spawn(self._reattach(tab))

    def _hold(self, tab: ControlledTab, command: Command) -> None:
        tab.held_commands.append(command)
        self._tasks.spawn(self._reattach(tab))

    def _send_now(self, tab: ControlledTab, command: Command) -> None:
        def reply(result: Any, error: PilotError | None) -> None:
            reason = error.message if isinstance(error, ChromeRefused) else ""
            interrupted = is_detached(reason) or OTHER_EXTENSIONS_FRAME.matches(reason)
            if not interrupted or tab.owner is None or tab.state is AttachState.UNATTACHED:
                command.reply(result, error)
            elif detach_recovery.should_resend(command, reason):
                tab.transition(AttachEvent.DETACHED)
                self._hold(tab, command)
            else:
                detach_recovery.reply_interrupted(command, reason)

        self.debugger.send(tab, replace(command, reply=reply))

    async def _reattach(self, tab: ControlledTab) -> None:
        async with self._lock(tab):
            leaving: list[Command] = []
            while tab.state is AttachState.SUSPENDED and tab.owner is not None:
                try:
                    await self.debugger.reattach(tab, tab.owner, self._opener(tab))
                except PilotError as error:
                    self._set_barred(tab, error)
                    if tab.barred and not leaving and (leaving := _take_held(tab, "Page.navigate")):
                        await self._leave(tab, str(leaving[-1].params.get("url", "")))
                        continue
                    if not tab.barred:
                        self._drop(tab)
                    _refuse([*leaving, *_take_held(tab)], _barred_error() if tab.barred else error)
                    return
            self._set_barred(tab, None)
            for command in leaving:
                command.reply(
                    {"frameId": tab.target_id, "loaderId": tab.frame_state.frames.get(tab.target_id, "")}, None
                )
            for command in _take_held(tab):
                if command.child is None or command.child in tab.children:
                    self._send_now(tab, command)
                else:
                    command.reply(None, ChromeRefused(SESSION_NOT_FOUND))

    async def _leave(self, tab: ControlledTab, url: str) -> None:
        """Navigate a tab that the debugger cannot attach to."""
        try:
            await self._connection.call("tabs.navigate", tab.id, url)
        except PilotError as error:
            logger.info("could not navigate away from a barred page: %s", error.message)

    def _set_barred(self, tab: ControlledTab, error: PilotError | None) -> None:
        barred = error is not None and OTHER_EXTENSIONS_FRAME.matches(error.message)
        if tab.barred != barred:
            tab.barred = barred
            self._on_barred_change()

    def _opener(self, tab: ControlledTab) -> ControlledTab | None:
        return self._tabs.get(tab.opener) if tab.opener is not None else None

    def _lock(self, tab: ControlledTab) -> asyncio.Lock:
        return self._locks.setdefault(tab.id, asyncio.Lock())


def _take_held(tab: ControlledTab, method: str | None = None) -> list[Command]:
    """Remove the queued commands, or those of one method, and return them."""
    taken = [command for command in tab.held_commands if method in (None, command.method)]
    tab.held_commands = [command for command in tab.held_commands if command not in taken]
    return taken


def _refuse(commands: list[Command], error: PilotError) -> None:
    for command in commands:
        command.reply(None, error)


def _barred_error() -> ChromeRefused:
    return ChromeRefused(RelayError.PAGE_BARRED.wrap("another extension has put a frame of its own into it."))
