"""What kind of session is wanted: the client's settings, and over them what a call asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..config import EngineName, Settings
from ..egress.parent_proxy import ParentProxy
from ..engines.engine import ContextRequest, Look, StorageState
from ..policy.patterns import Pattern


@dataclass(frozen=True)
class Wishes:
    """None for what is left to the settings. ``browser`` is the name of a paired Chrome, or of a kind to launch."""

    viewport: tuple[int, int] | None = None
    look: Look = field(default_factory=Look)
    domains: tuple[Pattern, ...] | None = None
    timeout_ms: int | None = None
    headless: bool | None = None
    engine: EngineName | None = None
    browser: str | None = None
    parent_proxy: ParentProxy | None = None
    profile: str | None = None
    state: StorageState | None = None


def context_request(settings: Settings, *, label: str = "Browser Pilot") -> ContextRequest:
    browser = settings.browser
    return ContextRequest(
        engine=browser.engine,
        own_browser=browser.own_browser,
        label=label,
        executable=browser.executable,
        headless=browser.headless,
        args=browser.args,
        viewport=browser.viewport,
        user_data_dir=browser.user_data_dir,
        launch_timeout_ms=browser.launch_timeout_ms,
        cdp_url=browser.cdp_url,
        grid_url=browser.grid_url,
        per_browser=settings.sessions.per_browser,
    )


def wished_request(settings: Settings, wishes: Wishes, *, label: str) -> ContextRequest:
    """A session that was asked for never shares a folder of user data: nothing of another may be seen in it."""
    request = context_request(settings, label=label)
    engine = wishes.engine or request.engine
    viewport = wishes.viewport or (None if wishes.look.device else request.viewport)
    is_own = engine == "own"
    return replace(
        request,
        engine=engine,
        own_browser=(wishes.browser or request.own_browser) if is_own else None,
        executable=request.executable if is_own else wishes.browser or request.executable,
        headless=request.headless if wishes.headless is None else wishes.headless,
        viewport=viewport,
        user_data_dir=None,
        domains=wishes.domains,
        look=wishes.look,
        parent_proxy=wishes.parent_proxy,
    )
