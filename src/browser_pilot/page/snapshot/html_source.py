"""The HTML source and the links of a page, for guests. Agents use ``content``."""

from __future__ import annotations

from typing import cast

from browser_pilot.page.cdp import send
from browser_pilot.page.frames import MAIN
from browser_pilot.page.playwright_errors import translated
from browser_pilot.page.tab import Tab
from browser_pilot.safe_text import parse_json, well_formed

MAX_SOURCE_LENGTH = 8_000_000
MAX_LINKS = 2_000


async def page_source(tab: Tab) -> str:
    """The current HTML of the document, read through CDP and not by the page's scripts."""
    session = await tab.world.frames.main_session()
    with translated("Reading the page's source"):
        document = await send(session, "DOM.getDocument", depth=0)
        response = await send(session, "DOM.getOuterHTML", nodeId=document["root"]["nodeId"])
    return well_formed(str(response["outerHTML"])[:MAX_SOURCE_LENGTH])


async def page_links(tab: Tab, *, timeout_ms: int) -> list[dict[str, str]]:
    """The http links of the page's own document: ``text`` and ``url``."""
    frames = await tab.world.live_frames(timeout_ms=timeout_ms)
    main = next(frame for frame in frames if frame.number == MAIN)
    text = await tab.world.call(main, "readLinks", MAX_LINKS, repeatable=True, timeout_ms=timeout_ms)
    return cast("list[dict[str, str]]", parse_json(cast("str", text)))
