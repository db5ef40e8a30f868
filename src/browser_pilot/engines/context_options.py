"""Maps a session's emulation options to Playwright's context options. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypedDict, cast
from zoneinfo import available_timezones

from playwright.async_api import ViewportSize

from browser_pilot.errors import InvalidArgument

from .engine import ColorScheme, ContextRequest

DEFAULT_VIEWPORT = (1280, 720)


class ContextOptions(TypedDict, total=False):
    """Options that ``new_context`` and ``launch_persistent_context`` both take."""

    viewport: ViewportSize
    screen: ViewportSize
    user_agent: str
    locale: str
    timezone_id: str
    color_scheme: ColorScheme
    device_scale_factor: float
    is_mobile: bool
    has_touch: bool


def context_options(request: ContextRequest, devices: Mapping[str, Mapping[str, object]]) -> ContextOptions:
    """``devices`` are Playwright's presets. Raises ``InvalidArgument`` for an unknown device or time zone."""
    emulation = request.emulation
    options = _of_device(emulation.device, devices) if emulation.device is not None else ContextOptions()
    if request.viewport is not None:
        width, height = request.viewport
        options["viewport"] = {"width": width, "height": height}
        options.pop("screen", None)
    elif emulation.device is None:
        options["viewport"] = {"width": DEFAULT_VIEWPORT[0], "height": DEFAULT_VIEWPORT[1]}
    if emulation.user_agent is not None:
        options["user_agent"] = emulation.user_agent
    if emulation.locale is not None:
        options["locale"] = emulation.locale
    if emulation.timezone is not None:
        options["timezone_id"] = _timezone(emulation.timezone)
    if emulation.color_scheme is not None:
        options["color_scheme"] = emulation.color_scheme
    return options


def _of_device(name: str, devices: Mapping[str, Mapping[str, object]]) -> ContextOptions:
    by_lower_case = {known.lower(): known for known in devices}
    known = by_lower_case.get(name.strip().lower())
    if known is None:
        near = difflib.get_close_matches(name[:80].lower(), by_lower_case, n=5, cutoff=0.3)
        raise InvalidArgument(
            f"Unknown device {name[:80]!r}.",
            suggestions=[f"Similar: {', '.join(by_lower_case[one] for one in near)}." if near else "One is iPhone 15."],
        )
    kept = {key: value for key, value in devices[known].items() if key in ContextOptions.__annotations__}
    return cast(ContextOptions, kept)


def _timezone(name: str) -> str:
    known = {zone.lower(): zone for zone in available_timezones()}
    # On a system without time zone data the browser decides.
    found = known.get(name.lower(), None if known else name)
    if found is None:
        near = difflib.get_close_matches(name[:80].lower(), known, n=3, cutoff=0.4)
        raise InvalidArgument(
            f"Unknown time zone {name[:80]!r}.",
            suggestions=[
                f"Similar: {', '.join(known[one] for one in near)}." if near else "For example: Europe/Berlin."
            ],
        )
    return found
