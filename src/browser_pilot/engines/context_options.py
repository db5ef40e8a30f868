"""How a context presents itself to pages: a session's wishes in Playwright's words. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypedDict, cast
from zoneinfo import available_timezones

from playwright.async_api import ViewportSize

from ..errors import InvalidArgument
from .engine import ColorScheme, ContextRequest

DEFAULT_VIEWPORT = (1280, 720)


class Presentation(TypedDict, total=False):
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


def presentation(request: ContextRequest, devices: Mapping[str, Mapping[str, object]]) -> Presentation:
    """``devices`` are Playwright's presets. Raises ``InvalidArgument`` for what no browser could be."""
    look = request.look
    options = _of_device(look.device, devices) if look.device is not None else Presentation()
    if request.viewport is not None:
        width, height = request.viewport
        options["viewport"] = {"width": width, "height": height}
        options.pop("screen", None)
    elif look.device is None:
        options["viewport"] = {"width": DEFAULT_VIEWPORT[0], "height": DEFAULT_VIEWPORT[1]}
    if look.user_agent is not None:
        options["user_agent"] = look.user_agent
    if look.locale is not None:
        options["locale"] = look.locale
    if look.timezone is not None:
        options["timezone_id"] = _timezone(look.timezone)
    if look.color_scheme is not None:
        options["color_scheme"] = look.color_scheme
    return options


def _of_device(name: str, devices: Mapping[str, Mapping[str, object]]) -> Presentation:
    by_small_letters = {known.lower(): known for known in devices}
    known = by_small_letters.get(name.strip().lower())
    if known is None:
        near = difflib.get_close_matches(name.lower(), by_small_letters, n=5, cutoff=0.3)
        raise InvalidArgument(
            f"There is no device {name[:80]!r}.",
            suggestions=[
                f"Near: {', '.join(by_small_letters[one] for one in near)}." if near else "Such as: iPhone 15."
            ],
        )
    kept = {key: value for key, value in devices[known].items() if key in Presentation.__annotations__}
    return cast("Presentation", kept)


def _timezone(name: str) -> str:
    known = {zone.lower(): zone for zone in available_timezones()}
    # Where the system has no list of zones, the browser itself is the judge.
    found = known.get(name.lower(), None if known else name)
    if found is None:
        near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4)
        raise InvalidArgument(
            f"There is no time zone {name[:80]!r}.",
            suggestions=[f"Near: {', '.join(known[one] for one in near)}." if near else "Such as: Europe/Berlin."],
        )
    return found
