"""Extracts parts of a page by CSS selectors, in the page. ``guests.host.selection_rules`` describes the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.frames import MAIN
from browser_pilot.page.tab import Tab
from browser_pilot.safe_text import parse_json


async def select_content(tab: Tab, rule: Mapping[str, Any], *, timeout_ms: int) -> Mapping[str, Any]:
    """The data of the page's own document in the shape of ``rule``."""
    frames = await tab.world.live_frames(timeout_ms=timeout_ms)
    main = next(frame for frame in frames if frame.number == MAIN)
    text = await tab.world.call(main, "extractParts", dict(rule), repeatable=True, timeout_ms=timeout_ms)
    answer = cast("dict[str, Any]", parse_json(cast("str", text)))
    if "error" in answer:
        raise InvalidArgument(f"select: {answer['error']}", suggestions=["Correct the CSS selector."])
    return answer
