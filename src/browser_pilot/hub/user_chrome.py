"""The user's own browsers as a part of the hub: the bridge and the engine on it, fed with rules and settings."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Playwright

from .bridge.bridge import Bridge
from .bridge.net_rules import session_rules
from .config import Settings
from .engines.own import OwnEngine
from .policy.rules import Ruleset
from .records.entries import Note
from .settings_file import set_setting

logger = logging.getLogger(__name__)

MOST_REFUSALS, REFUSALS_SECONDS = 20, 60.0
NOTES = {
    "bridge_refused": "Someone was turned away who wanted to connect as a browser.",
    "cdp_refused": "Someone was turned away who wanted to drive a browser.",
    "browser_paired": "A browser was paired.",
    "browser_forgotten": "A browser was forgotten.",
}


class OwnBrowsers:
    """``settings`` and ``rules`` give those in force; ``reload`` reads them again; ``note`` writes into the record."""

    def __init__(
        self,
        home: Path,
        *,
        settings: Callable[[], Settings],
        rules: Callable[[], Ruleset],
        reload: Callable[[], object],
        note: Callable[[Note], None],
        driver: Callable[[], Awaitable[Playwright]],
    ) -> None:
        self._home = home
        self._rules = rules
        self._reload = reload
        self._note = note
        self._refusals: list[float] = []
        self.bridge = Bridge(
            home,
            idle_seconds=lambda: settings().browser.own_idle_minutes * 60,
            note=self._note_event,
            mode=lambda: settings().policy.own_mode,
            set_mode=self._choose_mode,
        )
        self.engine = OwnEngine(self.bridge, driver)

    def tell_rules(self) -> None:
        """The user's browsers hold the rules themselves, in the tabs that agents drive."""
        self.bridge.adopt_rules(session_rules(self._rules()))
        self.bridge.tell_news()

    async def let_go(self) -> None:
        """The hub ends. The user's tabs stay open: the next hub finds them again."""
        await self.engine.let_go()
        await self.bridge.close()

    def _note_event(self, event: str, details: dict[str, str]) -> None:
        if event.endswith("_refused") and not self._may_note_refusal():
            return
        logger.info("%s: %s", event, ", ".join(f"{name} {value}" for name, value in details.items()))
        by = "user" if event == "user_said" else "hub"
        said = f"The user said “{details['word']}” {details['where']}." if event == "user_said" else event
        self._note(Note(NOTES.get(event, said), by=by, details=details))

    def _may_note_refusal(self) -> bool:
        """Whoever knocks a thousand times does not fill the record."""
        now = time.monotonic()
        self._refusals = [at for at in self._refusals if now - at < REFUSALS_SECONDS]
        if len(self._refusals) >= MOST_REFUSALS:
            return False
        self._refusals.append(now)
        return True

    def _choose_mode(self, mode: str) -> None:
        """The user chose a mode in the browser; it is kept like any other setting."""
        set_setting(self._home, ("policy", "own_mode"), mode)
        self._reload()
