"""Dialogs of a page (alert, confirm, prompt, beforeunload): open until the agent accepts or dismisses them.

A page that opens too many has all others dismissed, until its next document. A page that asks whether it may be left,
while the agent leaves it, is left: the agent has decided already. Both are reported by a notice.

An open dialog blocks the page's scripts, so no call may wait for the page: ``unless_opened`` stops waiting as soon as a
dialog opens, and ``require_none`` raises while one is open. A dialog without a response is dismissed after a timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar, cast

from playwright.async_api import Dialog, Page
from playwright.async_api import Error as PlaywrightError

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import BrowserCrashed, DialogOpen, InvalidArgument
from browser_pilot.page.token_bucket import TokenBucket
from browser_pilot.safe_text import cut, sanitize, well_formed

from .outcome import DialogFacts, DialogKind

T = TypeVar("T")

RESPONSE_TIMEOUT_SECONDS = 60.0
MAX_NOTICE_CHARACTERS = 500
DIALOG_BURST = 5
DIALOGS_PER_SECOND = 0.2
# Before one that is too many is dismissed: slows the page down.
EXCESS_DELAY_SECONDS = 0.05
# Of one document, before its page is ended: between its dialogs, a page hardly does anything else.
MAX_EXCESS = 40
LEFT_NOTICE = "The page asked to confirm that it may be left (beforeunload): confirmed."


class DialogAppeared(DialogOpen):
    """A dialog opened while a call waited for the page."""


class Dialogs:
    """The dialogs of one page; lives as long as the page does. ``on_flood``: its document opens them endlessly."""

    def __init__(
        self,
        page: Page,
        *,
        timeout_seconds: float = RESPONSE_TIMEOUT_SECONDS,
        on_flood: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_flood = on_flood
        self._flood = 0
        self._timeout_seconds = timeout_seconds
        self._dialog: Dialog | None = None
        self._crashed = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._dismissing: asyncio.Task[None] | None = None
        self._notices: list[str] = []
        self._bucket = TokenBucket(DIALOG_BURST, DIALOGS_PER_SECOND)
        # Dialogs that were dismissed because there were too many, and that no notice has reported.
        self._excess = 0
        # Until the next document, as a browser does it for its user.
        self._suppressed = False
        self._tasks = BackgroundTasks("a tab's dialogs")
        self._leaving = False
        # There, a page may hold the user's own unsaved input.
        self.in_users_browser = False
        page.on("dialog", self._on_dialog)
        page.on("domcontentloaded", lambda _: self._allow())
        page.on("crash", lambda _: self._on_crash())
        page.on("close", lambda _: self._clear())

    @property
    def facts(self) -> DialogFacts | None:
        """The dialog that is open now."""
        if self._dialog is None:
            return None
        kind = cast("DialogKind", self._dialog.type)
        return DialogFacts(kind, sanitize(self._dialog.message), well_formed(self._dialog.default_value))

    @property
    def accepts(self) -> bool:
        """Whether the agent gets the next dialog: the page has not opened too many."""
        return not self._suppressed

    def require_none(self) -> None:
        """Raise DialogOpen while a dialog is open."""
        if self.facts is not None:
            raise _dialog_error(self.facts, DialogOpen)

    def take_notices(self) -> tuple[str, ...]:
        """Notices about dialogs that the agent did not respond to itself; each is returned once."""
        notices, self._notices = self._notices, []
        if self._excess:
            notices.append(f"The page opened too many dialogs: {self._excess} were dismissed.")
            self._excess = 0
        return tuple(notices)

    @contextmanager
    def leaving(self) -> Generator[None]:
        """While the agent leaves the page."""
        self._leaving = not self.in_users_browser
        try:
            yield
        finally:
            self._leaving = False

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
        if self._leaving and dialog.type == "beforeunload":
            self._notices.append(LEFT_NOTICE)
            self._tasks.spawn(_accept(dialog))
            return
        if self._suppressed or not self._bucket.take(asyncio.get_running_loop().time()):
            self._suppressed = True
            self._excess += 1
            self._flood += 1
            if self._flood == MAX_EXCESS and not self.in_users_browser:
                self._on_flood()
            self._tasks.spawn(_dismiss_later(dialog))
            return
        self._dialog = dialog
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(self._timeout_seconds, self._on_timeout, dialog)

    def _allow(self) -> None:
        self._flood = 0
        self._suppressed = False

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
        self._notices.append(
            f"A dialog ({dialog.type}: {cut(sanitize(dialog.message), MAX_NOTICE_CHARACTERS)!r}) had no response for "
            f"{self._timeout_seconds:g} s: dismissed."
        )
        self._clear()
        self._dismissing = asyncio.ensure_future(_dismiss(dialog))

    def _clear(self) -> None:
        self._dialog = None
        if self._timer is not None:
            self._timer.cancel()


async def _accept(dialog: Dialog) -> None:
    with suppress(PlaywrightError):
        await dialog.accept()


async def _dismiss_later(dialog: Dialog) -> None:
    await asyncio.sleep(EXCESS_DELAY_SECONDS)
    await _dismiss(dialog)


async def _dismiss(dialog: Dialog) -> None:
    with suppress(PlaywrightError):
        await dialog.dismiss()


def _dialog_error(facts: DialogFacts, kind: type[DialogOpen]) -> DialogOpen:
    return kind(
        f"A dialog is open ({facts.kind}): {facts.message!r}",
        suggestions=["Respond to it first: browser_dialog with accept true or false."],
    )
