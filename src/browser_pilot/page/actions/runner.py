"""Runs one action: refuse while a dialog is open, open an action window, execute, wait for the effects.

An action is a coroutine function that gets a ``RunningAction`` and calls ``mark_sent`` right before it sends input. It
returns the page's own report about the action, or None when a navigation destroyed the document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.errors import ElementChanged, NoTab, PilotError
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.frames import Frame
from browser_pilot.page.isolated_world import CallInterrupted, FrameGone
from browser_pilot.page.playwright_errors import translate, translated
from browser_pilot.page.tab import Tab

from .action_window import ActionWindow
from .actionability_errors import actionability_error
from .context import ActionContext, FilledText
from .dialogs import DialogAppeared
from .outcome import Outcome
from .resolve import Target, stale_error
from .wait_idle import PageReport, wait_idle

TIMEOUT_MS = 5_000
# The page responds by its own deadline; this much later it counts as hung.
EXTRA_TIMEOUT_MS = 5_000

_cancellations = BackgroundTasks("cancelled actions")


@dataclass(slots=True)
class RunningAction:
    context: ActionContext
    frame: Frame
    session: CDPSession
    window: ActionWindow
    started: bool = False
    notices: list[str] = field(default_factory=list[str])

    @property
    def tab(self) -> Tab:
        return self.context.tab

    def start(self) -> None:
        """What the page does from here on belongs to the action."""
        self.started = True
        self.window.begin_input()

    def mark_sent(self) -> None:
        """Input is about to be sent: from here on the action may have taken effect."""
        self.context.sent = True
        self.start()

    def fill_secrets(self, target: Target, text: str) -> FilledText:
        """The text to type into a field, which holds secrets from then on."""
        filled = self.context.fill_secrets(text, target.origin)
        if filled.secrets:
            self.tab.secrets.add(target.frame, filled.secrets)
        return filled

    async def call_target(self, target: Target, function: str, *args: ReadOnlyJson, timeout_ms: int) -> PageReport:
        """Call an injected function about an element; raises what prevents the action."""
        return await self._checked(target, await self._reply_about(target, function, *args, timeout_ms=timeout_ms))

    async def call_when_actionable(
        self, target: Target, function: str, *args: ReadOnlyJson, timeout_ms: int
    ) -> PageReport:
        """The same for a function that waits until the element can be acted on; its last argument is the time left.

        It gives up on a covered element when the page is at rest, but cannot see requests: they may still uncover it.
        """
        deadline = asyncio.get_running_loop().time() + timeout_ms / 1000
        while True:
            left_ms = max(0, int((deadline - asyncio.get_running_loop().time()) * 1000))
            reply = await self._reply_about(target, function, *args, left_ms, timeout_ms=left_ms)
            if not (reply.get("atRest") and left_ms and self.tab.tracker.working()):
                return await self._checked(target, reply)

    async def _reply_about(self, target: Target, function: str, *args: ReadOnlyJson, timeout_ms: int) -> PageReport:
        response = await self.tab.world.call(target.frame, function, *args, timeout_ms=timeout_ms + EXTRA_TIMEOUT_MS)
        reply = cast("PageReport", response)
        if "lastRef" in reply:
            self.tab.world.note_refs_used(target.frame, int(reply["lastRef"]))
        return reply

    async def _checked(self, target: Target, reply: PageReport) -> PageReport:
        if reply.get("error") == "gone":
            raise await stale_error(self.tab.world, target)
        if "error" in reply:
            raise actionability_error(target.description, reply)
        return reply

    async def call_and_act(
        self, target: Target, function: str, *args: ReadOnlyJson, timeout_ms: int
    ) -> PageReport | None:
        """The same for a function that also acts; None when this made the page navigate."""
        try:
            return await self.call_target(target, function, *args, timeout_ms=timeout_ms)
        except CallInterrupted:
            return None

    async def result_of(
        self, function: str, *args: ReadOnlyJson, frame: Frame | None = None, timeout_ms: int = EXTRA_TIMEOUT_MS * 2
    ) -> PageReport | None:
        """Call an injected function after input was sent; None when the document is gone."""
        try:
            response = await self.tab.world.call(frame or self.frame, function, *args, timeout_ms=timeout_ms)
            return cast("PageReport", response)
        except (CallInterrupted, FrameGone):
            return None


async def run_action(
    context: ActionContext,
    target: Target | None,
    execute: Callable[[RunningAction], Awaitable[PageReport | None]],
    *,
    wait: Callable[[Tab, ActionWindow, Frame, PageReport | None], Awaitable[Outcome]] = wait_idle,
    frame: Frame | None = None,
) -> Outcome:
    """Execute one action and ``wait`` for its effects. A dialog that it opens ends the wait and is part of the outcome.

    ``frame`` is the frame to watch when there is no target; by default the main frame, looked up again.
    """
    tab = context.tab
    tab.dialogs.require_none()
    session, frame = await tab.dialogs.unless_opened(_prepare(tab, target.frame if target else frame))
    window = tab.tracker.open_window()
    action = RunningAction(context, frame, session, window)
    try:
        outcome = await tab.dialogs.unless_opened(_execute_and_wait(action, execute, wait))
    except DialogAppeared:
        if not action.started:
            raise
        outcome = _interrupted_by_dialog(tab, window)
    except asyncio.CancelledError:
        _cancellations.spawn(_cancel_in_page(action))
        raise
    except (PlaywrightError, NoTab) as error:
        outcome = await _outcome_without_page(action, error)
    finally:
        if window is not tab.tracker.left_open:
            tab.tracker.close_window(window)
    return outcome.with_notices(*action.notices)


async def respond_to_dialog(context: ActionContext, *, accept: bool, text: str | None = None) -> Outcome:
    """Accept or dismiss the open dialog, and wait for what the page does then; it may open another dialog."""
    tab = context.tab
    if context.dialog is not None and tab.dialogs.facts != context.dialog:
        raise ElementChanged("Another dialog is open than the one that was authorized.")
    if text is not None:
        text = context.fill_secrets(text, "").text
    session = await tab.world.frames.main_session()
    window = tab.tracker.open_window()
    window.begin_input()
    context.sent = True
    try:
        await tab.dialogs.respond(accept=accept, text=text)
        return await tab.dialogs.unless_opened(_wait_after_dialog(tab, window, session))
    except DialogAppeared:
        return _interrupted_by_dialog(tab, window)
    finally:
        tab.tracker.close_window(window)


async def _prepare(tab: Tab, frame: Frame | None) -> tuple[CDPSession, Frame]:
    """The session and the frame to act in, with the session's events subscribed to."""
    with translated("Acting on the page"):
        session = await tab.world.frames.main_session()
        frame = frame or (await tab.world.frames.list())[0]
        await tab.tracker.subscribe(session)
    return session, frame


async def _execute_and_wait(
    action: RunningAction,
    execute: Callable[[RunningAction], Awaitable[PageReport | None]],
    wait: Callable[[Tab, ActionWindow, Frame, PageReport | None], Awaitable[Outcome]],
) -> Outcome:
    reply = await execute(action)
    return await wait(action.tab, action.window, action.frame, reply)


async def _wait_after_dialog(tab: Tab, window: ActionWindow, session: CDPSession) -> Outcome:
    await tab.tracker.subscribe(session)
    return await wait_idle(tab, window, await tab.world.main_frame(), None)


def _interrupted_by_dialog(tab: Tab, window: ActionWindow) -> Outcome:
    return Outcome(dialog=tab.dialogs.facts, new_tabs=tuple(window.tabs), downloads=tuple(window.downloads))


async def _outcome_without_page(action: RunningAction, error: PlaywrightError | NoTab) -> Outcome:
    """The page is gone: an action may close its own tab, anything else is a failure."""
    tab = action.tab
    if tab.page.is_closed():
        if action.started and await _is_context_open(tab):
            return Outcome(notices=("The tab was closed.",))
        raise NoTab("The tab was closed meanwhile.") from error
    raise translate(error, "Acting on the page") if isinstance(error, PlaywrightError) else error


async def _is_context_open(tab: Tab) -> bool:
    try:
        await tab.page.context.cookies("http://localhost/")
    except PlaywrightError:
        return False
    return True


async def _cancel_in_page(action: RunningAction) -> None:
    """Make the page stop waiting for an element on behalf of a cancelled call."""
    with suppress(PilotError, PlaywrightError):
        await action.tab.world.call(action.frame, "cancelWaits", timeout_ms=EXTRA_TIMEOUT_MS)
