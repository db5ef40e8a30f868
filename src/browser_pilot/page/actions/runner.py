"""The frame of every action: refuse while a dialog is open, mark the start, act, wait for the consequences.

An action is a coroutine that gets a ``Hand`` and says ``acts`` right before it sends input. What it returns is the
page's own reply about the action, or None when a navigation cut the page off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import ElementChanged, NoTab, PilotError
from browser_pilot.pages.activity import Mark
from browser_pilot.pages.dialogs import DialogAppeared
from browser_pilot.pages.frames import Frame
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.playwright_errors import translate
from browser_pilot.pages.settle import Reply, settle
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import Target, lost
from browser_pilot.pages.troubles import trouble_error
from browser_pilot.pages.world import CutOff, FrameGone, Json

PATIENCE_MS = 5_000
# The page answers by its own deadline; this much later it is taken to hang.
GRACE_MS = 5_000

_abandoning: set[asyncio.Task[None]] = set()


@dataclass(slots=True)
class Hand:
    """What an action works with."""

    tab: Tab
    frame: Frame
    session: CDPSession
    mark: Mark
    acted: bool = False
    notices: list[str] = field(default_factory=list[str])

    def acts(self) -> None:
        """From here on the page may have been changed."""
        self.acted = True
        self.mark.act()

    async def ask(self, target: Target, function: str, *args: Json, patience_ms: int) -> Reply:
        """Call a function that prepares something for an element; what stands in its way is raised."""
        answer = await self.tab.world.call(target.frame, function, *args, timeout_ms=patience_ms + GRACE_MS)
        reply = cast("Reply", answer)
        if reply.get("trouble") == "gone":
            raise await lost(self.tab.world, target)
        if "trouble" in reply:
            raise trouble_error(target.words, reply)
        return reply

    async def ask_and_act(self, target: Target, function: str, *args: Json, patience_ms: int) -> Reply | None:
        """The same for a function that acts as well; None when that made the page navigate."""
        try:
            return await self.ask(target, function, *args, patience_ms=patience_ms)
        except CutOff:
            return None

    async def aftermath(
        self, function: str, *args: Json, frame: Frame | None = None, timeout_ms: int = GRACE_MS * 2
    ) -> Reply | None:
        """Ask the page what became of the action; None when its document is gone."""
        try:
            answer = await self.tab.world.call(frame or self.frame, function, *args, timeout_ms=timeout_ms)
            return cast("Reply", answer)
        except (CutOff, FrameGone):
            return None


async def perform(
    tab: Tab,
    target: Target | None,
    act: Callable[[Hand], Awaitable[Reply | None]],
    *,
    wait: Callable[[Tab, Mark, Frame, Reply | None], Awaitable[Outcome]] = settle,
    frame: Frame | None = None,
) -> Outcome:
    """Do one action and ``wait`` for what it sets off. A dialog that it opens ends the waiting and is told.

    ``frame`` is the one to watch when there is no target; left out, it is the main frame, looked up anew.
    """
    tab.dialogs.require_none()
    session = await tab.world.frames.main_session()
    frame = target.frame if target else frame or (await tab.world.frames.list())[0]
    await tab.activity.listen(session)
    mark = tab.activity.mark()
    hand = Hand(tab, frame, session, mark)

    async def whole() -> Outcome:
        reply = await act(hand)
        return await wait(tab, mark, frame, reply)

    try:
        outcome = await tab.dialogs.unless_opened(whole())
    except DialogAppeared:
        if not hand.acted:
            raise
        outcome = Outcome(dialog=tab.dialogs.facts, new_tabs=tuple(mark.tabs), downloads=tuple(mark.downloads))
    except asyncio.CancelledError:
        _abandon(hand)
        raise
    except (PlaywrightError, NoTab) as error:
        outcome = await _without_page(hand, error)
    finally:
        if mark is not tab.activity.left_open:
            tab.activity.end(mark)
    return outcome.noting(*hand.notices)


async def answer_dialog(tab: Tab, *, accept: bool, text: str | None = None) -> Outcome:
    """Answer the open dialog, and wait for what the page does then; that may be another dialog."""
    if tab.decided_dialog is not None and tab.dialogs.facts != tab.decided_dialog:
        raise ElementChanged("Another dialog is open than the one that was decided about.")
    if text is not None:
        text = tab.fill(text, "")
    session = await tab.world.frames.main_session()
    mark = tab.activity.mark()
    mark.act()

    async def rest() -> Outcome:
        await tab.activity.listen(session)
        return await settle(tab, mark, await tab.world.main_frame(), None)

    await tab.dialogs.answer(accept=accept, text=text)
    try:
        return await tab.dialogs.unless_opened(rest())
    except DialogAppeared:
        return Outcome(dialog=tab.dialogs.facts, new_tabs=tuple(mark.tabs), downloads=tuple(mark.downloads))
    finally:
        tab.activity.end(mark)


async def _without_page(hand: Hand, error: PlaywrightError | NoTab) -> Outcome:
    """What to say when the page was lost: an action may close its own tab, anything else is a failure."""
    tab = hand.tab
    if tab.page.is_closed():
        if hand.acted and await _context_lives(tab):
            return Outcome(notices=("The tab was closed.",))
        raise NoTab("The tab was closed meanwhile.") from error
    raise translate(error, "Acting on the page") if isinstance(error, PlaywrightError) else error


async def _context_lives(tab: Tab) -> bool:
    try:
        await tab.page.context.cookies("http://localhost/")
    except PlaywrightError:
        return False
    return True


def _abandon(hand: Hand) -> None:
    """Tell the page to stop waiting for an element on behalf of a call that was cancelled."""

    async def tell() -> None:
        try:
            await hand.tab.world.call(hand.frame, "abandon", timeout_ms=GRACE_MS)
        except (PilotError, PlaywrightError):
            return  # whatever waited there is gone as well

    task = asyncio.ensure_future(tell())
    _abandoning.add(task)
    task.add_done_callback(_abandoning.discard)
