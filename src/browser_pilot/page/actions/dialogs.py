"""Dialogs of a page (alert, confirm, prompt, beforeunload): open until the agent accepts or dismisses them.

An open dialog blocks the page's scripts, so no call may wait for the page: ``unless_opened`` stops waiting as soon as a
dialog opens, and ``require_none`` raises while one is open. A dialog without a response is dismissed after a timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TypeVar, cast

from playwright.async_api import Dialog, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import BrowserCrashed, DialogOpen, InvalidArgument
from browser_pilot.safe_text import cut, sanitize, well_formed

from .outcome import DialogFacts, DialogKind

T = TypeVar("T")

RESPONSE_TIMEOUT_SECONDS = 60.0
MAX_NOTICE_CHARACTERS = 500


class DialogAppeared(DialogOpen):
    """A dialog opened while a call waited for the page."""


class Dialogs:
    """The dialogs of one page; lives as long as the page does."""

    def __init__(self, page: Page, *, timeout_seconds: float = RESPONSE_TIMEOUT_SECONDS) -> None:
        self._timeout_seconds = timeout_seconds
        self._dialog: Dialog | None = None
        self._crashed = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._dismissing: asyncio.Task[None] | None = None
        self._timeout_notices: list[str] = []
        page.on("dialog", self._on_dialog)
        page.on("crash", lambda _: self._on_crash())
        page.on("close", lambda _: self._clear())

    @property
    def facts(self) -> DialogFacts | None:
        """The dialog that is open now."""
        if self._dialog is None:
            return None
        kind = cast("DialogKind", self._dialog.type)
        return DialogFacts(kind, sanitize(self._dialog.message), well_formed(self._dialog.default_value))

    def require_none(self) -> None:
        """Raise DialogOpen while a dialog is open."""
        if self.facts is not None:
            raise _dialog_error(self.facts, DialogOpen)

    def take_timeout_notices(self) -> tuple[str, ...]:
        """Notices about dialogs that were dismissed after the timeout; each is returned once."""
        notices, self._timeout_notices = tuple(self._timeout_notices), []
        return notices

    async def run_without_dialog(self, read: Callable[[], Coroutine[object, object, T]]) -> T:
        """The result of ``read``; raises DialogOpen when a dialog is open or opens meanwhile."""
        self.require_none()
        return await self.unless_opened(read())

    async def unless_opened(self, work: Coroutine[object, object, T]) -> T:
        """The result of ``work``; raises DialogAppeared as soon as a dialog opens, since the work may then never end.

        Raises BrowserCrashed as soon as the page crashes.
        """
        task = asyncio.ensure_future(work)
        stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(stopped)
        try:
            if self._dialog is None and not self._crashed:
                await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and self.facts is not None:
                raise _dialog_error(self.facts, DialogAppeared)
            if not task.done() and self._crashed:
                raise BrowserCrashed(
                    "The page crashed; the action may or may not have taken effect.",
                    suggestions=["Open the page again with browser_navigate."],
                )
            return await task
        finally:
            self._waiting.discard(stopped)
            if not task.done():
                task.cancel()

    async def respond(self, *, accept: bool, text: str | None = None) -> DialogFacts:
        """Accept or dismiss the open dialog; returns its facts."""
        dialog, facts = self._dialog, self.facts
        if dialog is None or facts is None:
            raise InvalidArgument("No dialog is open.", suggestions=["Take a browser_snapshot to see the page."])
        if text is not None and facts.kind != "prompt":
            raise InvalidArgument(f"A dialog of type {facts.kind} takes no text.", suggestions=["Leave `text` out."])
        self._clear()
        if not accept:
            await dialog.dismiss()
        elif text is not None:
            await dialog.accept(text)
        else:
            await dialog.accept(facts.default if facts.kind == "prompt" else "")
        return facts

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(self._timeout_seconds, self._on_timeout, dialog)

    def _on_crash(self) -> None:
        self._crashed = True
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        for stopped in self._waiting:
            if not stopped.done():
                stopped.set_result(None)

    def _on_timeout(self, dialog: Dialog) -> None:
        if dialog is not self._dialog:
            return
        self._timeout_notices.append(
            f"A dialog ({dialog.type}: {cut(sanitize(dialog.message), MAX_NOTICE_CHARACTERS)!r}) had no response for "
            f"{self._timeout_seconds:g} s: dismissed."
        )
        self._clear()
        self._dismissing = asyncio.ensure_future(_dismiss(dialog))

    def _clear(self) -> None:
        self._dialog = None
        if self._timer is not None:
            self._timer.cancel()


async def _dismiss(dialog: Dialog) -> None:
    with suppress(PlaywrightError):
        await dialog.dismiss()


def _dialog_error(facts: DialogFacts, kind: type[DialogOpen]) -> DialogOpen:
    return kind(
        f"A dialog is open ({facts.kind}): {facts.message!r}",
        suggestions=["Respond to it first: browser_dialog with accept true or false."],
    )
