"""Dialogs of a page (alert, confirm, prompt, beforeunload): kept open until the agent answers, never in anyone's way.

While one is open the page's scripts stand still, so nothing may wait for the page: ``unless_opened`` gives up waiting
as soon as a dialog opens, and ``require_none`` refuses to begin. A dialog that nobody answers is dismissed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TypeVar, cast

from playwright.async_api import Dialog, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import BrowserCrashed, DialogOpen, InvalidArgument

from .outcome import DialogFacts, DialogKind

T = TypeVar("T")

PATIENCE_SECONDS = 60.0


class DialogAppeared(DialogOpen):
    """A dialog opened while something waited for the page."""


class Dialogs:
    """The dialogs of one page; lives as long as the page does."""

    def __init__(self, page: Page, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._dialog: Dialog | None = None
        self._crashed = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._dismissing: asyncio.Task[None] | None = None
        self._unanswered: list[str] = []
        page.on("dialog", self._open)
        page.on("crash", lambda _: self._crash())
        page.on("close", lambda _: self._forget())

    @property
    def facts(self) -> DialogFacts | None:
        """The dialog that is open now."""
        if self._dialog is None:
            return None
        kind = cast("DialogKind", self._dialog.type)
        return DialogFacts(kind, self._dialog.message, self._dialog.default_value)

    def require_none(self) -> None:
        """Refuse to go on while a dialog is open."""
        if self.facts is not None:
            raise _opened(self.facts, DialogOpen)

    def take_unanswered(self) -> tuple[str, ...]:
        """What to say of dialogs that were dismissed because nobody answered; each is told once."""
        told, self._unanswered = tuple(self._unanswered), []
        return told

    async def undisturbed(self, look: Callable[[], Coroutine[object, object, T]]) -> T:
        """The result of looking at the page; DialogOpen when one is open, or opens meanwhile."""
        self.require_none()
        return await self.unless_opened(look())

    async def unless_opened(self, work: Coroutine[object, object, T]) -> T:
        """The result of ``work``; DialogAppeared as soon as a dialog opens, for the work may then never end.

        The same goes for a page that crashes: BrowserCrashed.
        """
        task = asyncio.ensure_future(work)
        stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(stopped)
        try:
            if self._dialog is None and not self._crashed:
                await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and self.facts is not None:
                raise _opened(self.facts, DialogAppeared)
            if not task.done() and self._crashed:
                raise BrowserCrashed(
                    "The page crashed; what was done may or may not have happened.",
                    suggestions=["Open the page again with browser_navigate."],
                )
            return await task
        finally:
            self._waiting.discard(stopped)
            if not task.done():
                task.cancel()

    async def answer(self, *, accept: bool, text: str | None = None) -> DialogFacts:
        """Close the open dialog, and say which it was."""
        dialog, facts = self._dialog, self.facts
        if dialog is None or facts is None:
            raise InvalidArgument("No dialog is open.", suggestions=["Take a browser_snapshot to see the page."])
        if text is not None and facts.kind != "prompt":
            raise InvalidArgument(f"A dialog of type {facts.kind} takes no text.", suggestions=["Leave `text` out."])
        self._forget()
        if not accept:
            await dialog.dismiss()
        elif text is not None:
            await dialog.accept(text)
        else:
            await dialog.accept(facts.default if facts.kind == "prompt" else "")
        return facts

    def _open(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(self._patience_seconds, self._give_up, dialog)

    def _crash(self) -> None:
        self._crashed = True
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        for stopped in self._waiting:
            if not stopped.done():
                stopped.set_result(None)

    def _give_up(self, dialog: Dialog) -> None:
        if dialog is not self._dialog:
            return
        self._unanswered.append(
            f"A dialog ({dialog.type}: {dialog.message!r}) had no answer for {self._patience_seconds:g} s: dismissed."
        )
        self._forget()
        self._dismissing = asyncio.ensure_future(_dismiss(dialog))

    def _forget(self) -> None:
        self._dialog = None
        if self._timer is not None:
            self._timer.cancel()


async def _dismiss(dialog: Dialog) -> None:
    with suppress(PlaywrightError):
        await dialog.dismiss()


def _opened(facts: DialogFacts, kind: type[DialogOpen]) -> DialogOpen:
    return kind(
        f"A dialog is open ({facts.kind}): {facts.message!r}",
        suggestions=["Answer it first: browser_dialog with accept true or false."],
    )
