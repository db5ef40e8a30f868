"""A page as it stands: its whole HTML and its links, for programs. People and agents want ``read``."""

from __future__ import annotations

import json
from typing import cast

from browser_pilot.pages.cdp import send
from browser_pilot.pages.frames import MAIN
from browser_pilot.pages.playwright_errors import translated
from browser_pilot.pages.tab import Tab

LONGEST_SOURCE = 8_000_000
MOST_LINKS = 2_000


async def page_source(tab: Tab) -> str:
    """The HTML of the document as it is now, asked of the browser and not of the page."""
    session = await tab.world.frames.main_session()
    with translated("Reading the page's source"):
        document = await send(session, "DOM.getDocument", depth=0)
        told = await send(session, "DOM.getOuterHTML", nodeId=document["root"]["nodeId"])
    return str(told["outerHTML"])[:LONGEST_SOURCE]


async def page_links(tab: Tab, *, timeout_ms: int) -> list[dict[str, str]]:
    """The http links of the page's own document: ``text`` and ``url``."""
    frames = await tab.world.live_frames(timeout_ms=timeout_ms)
    main = next(frame for frame in frames if frame.number == MAIN)
    told = await tab.world.call(main, "links", MOST_LINKS, repeatable=True, timeout_ms=timeout_ms)
    return cast("list[dict[str, str]]", json.loads(cast("str", told)))
