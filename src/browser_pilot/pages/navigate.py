"""Going places: to an address, back, forward, again."""

from __future__ import annotations

from typing import Literal

from ..errors import NavigationFailed
from .playwright_errors import translated
from .tab import Tab

WaitUntil = Literal["load", "domcontentloaded", "networkidle", "commit"]
Step = Literal["back", "forward", "reload"]


async def open_address(tab: Tab, href: str, *, wait_until: WaitUntil, timeout_ms: int) -> None:
    with translated(f"Opening {href}"):
        await tab.page.goto(href, wait_until=wait_until, timeout=timeout_ms)


async def step(tab: Tab, direction: Step, *, wait_until: WaitUntil, timeout_ms: int) -> None:
    page = tab.page
    moves = {"back": page.go_back, "forward": page.go_forward, "reload": page.reload}
    before = page.url
    with translated(f"Going {direction}" if direction != "reload" else "Reloading"):
        response = await moves[direction](wait_until=wait_until, timeout=timeout_ms)
    if response is None and direction != "reload" and page.url == before:
        raise NavigationFailed(
            f"There is no page to go {direction} to.", suggestions=["Open an address with browser_navigate."]
        )
