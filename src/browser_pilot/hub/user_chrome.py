"""The user's own Chrome as a part of the hub: the extension bridge, the engine on top of it, and their audit notes.

Lives as long as the hub. ``push_rules`` sends the current policy to the browsers; ``detach`` ends it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.config.editor import set_setting
from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.engines.user_chrome import Driver, UserChromeEngine
from browser_pilot.extension_bridge.bridge import Bridge
from browser_pilot.extension_bridge.dnr_rules import session_rules
from browser_pilot.extension_bridge.ui_backend import UiBackend

logger = logging.getLogger(__name__)

MAX_REJECTION_NOTES, REJECTION_WINDOW_SECONDS = 20, 60.0
NOTES = {
    "bridge_refused": "Rejected a connection to the extension endpoint.",
    "cdp_refused": "Rejected a connection to the CDP endpoint.",
    "browser_paired": "A browser was paired.",
    "browser_forgotten": "A paired browser was removed.",
}


class UserChrome:
    """``note`` writes to the audit log."""

    def __init__(
        self, home: Path, *, config: LiveConfig, ui: UiBackend, note: Callable[[AuditNote], None], driver: Driver
    ) -> None:
        self._home = home
        self._config = config
        self._note = note
        self.ui = ui
        self._rejections: list[float] = []
        self.bridge = Bridge(home, config=config, ui=ui, record_note=self._note_event, set_mode=self._set_mode)
        self.engine = UserChromeEngine(self.bridge, driver)

    def push_rules(self) -> None:
        """Send the current rules: the extension enforces them in controlled tabs."""
        self.bridge.set_rules(session_rules(self._config.rules))
        self.bridge.publish_state()

    async def detach(self) -> None:
        """The user's tabs stay open: the next hub finds them again."""
        await self.engine.disconnect_all()
        await self.bridge.close()

    def _note_event(self, event: str, details: dict[str, str]) -> None:
        if event.endswith("_refused") and not self._may_note_rejection():
            return
        logger.info("%s: %s", event, ", ".join(f"{name} {value}" for name, value in details.items()))
        if event == "user_said":
            text = f"The user chose “{details['word']}” {details['where']}."
            self._note(AuditNote(text, by="user", details=details))
        else:
            self._note(AuditNote(NOTES.get(event, event), by="hub", details=details))

    def _may_note_rejection(self) -> bool:
        """Limits the rate: repeated attempts must not fill the audit log."""
        now = time.monotonic()
        self._rejections = [at for at in self._rejections if now - at < REJECTION_WINDOW_SECONDS]
        if len(self._rejections) >= MAX_REJECTION_NOTES:
            return False
        self._rejections.append(now)
        return True

    def _set_mode(self, mode: str) -> None:
        """Store the mode that the user chose in the browser, like any other setting."""
        set_setting(self._home, ("policy", "own_mode"), mode)
        self._config.reload()
