"""Options of a new session: the client's settings, overridden by the arguments of a call. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from browser_pilot.config.settings import EngineName, Settings
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.engines.engine import ContextRequest, EmulationOptions, StorageState
from browser_pilot.errors import InvalidArgument
from browser_pilot.policy.patterns import Pattern


@dataclass(frozen=True)
class SessionOptions:
    """None: as in the settings. ``browser`` is the name of a paired Chrome, or the kind of browser to launch."""

    viewport: tuple[int, int] | None = None
    emulation: EmulationOptions = field(default_factory=EmulationOptions)
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


def context_request_with_options(settings: Settings, options: SessionOptions, *, label: str) -> ContextRequest:
    """The request for an explicitly created session. It never shares a user data folder, to stay isolated."""
    request = context_request(settings, label=label)
    engine = options.engine or request.engine
    viewport = options.viewport or (None if options.emulation.device else request.viewport)
    is_user_chrome = engine == "own"
    if is_user_chrome and options.domains is not None:
        raise InvalidArgument(
            "allowed_domains does not work in the user's own browser: its sessions share one network.",
            suggestions=[
                "Leave it out; the user's domain rules apply.",
                'Or create the session with engine "managed".',
            ],
        )
    return replace(
        request,
        engine=engine,
        own_browser=(options.browser or request.own_browser) if is_user_chrome else None,
        executable=request.executable if is_user_chrome else options.browser or request.executable,
        headless=request.headless if options.headless is None else options.headless,
        viewport=viewport,
        user_data_dir=None,
        domains=options.domains,
        emulation=options.emulation,
        parent_proxy=options.parent_proxy,
    )
