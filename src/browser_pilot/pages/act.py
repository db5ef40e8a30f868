"""Doing things to elements: click, type, hover, select, press."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .elements import Element, locate
from .playwright_errors import translated
from .tab import Tab

Button = Literal["left", "right", "middle"]
Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]


async def click(
    tab: Tab,
    element: Element,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[Modifier] = (),
    timeout_ms: int,
) -> None:
    locator = await locate(tab, element)
    with translated("Clicking"):
        await locator.click(button=button, click_count=count, modifiers=modifiers, timeout=timeout_ms)


async def type_text(
    tab: Tab, element: Element, text: str, *, clear: bool, submit: bool, slowly: bool, timeout_ms: int
) -> None:
    locator = await locate(tab, element)
    with translated("Typing"):
        if clear and not slowly:
            await locator.fill(text, timeout=timeout_ms)
        else:
            if clear:
                await locator.clear(timeout=timeout_ms)
            await locator.press_sequentially(text, timeout=timeout_ms)
        if submit:
            await locator.press("Enter", timeout=timeout_ms)


async def hover(tab: Tab, element: Element, *, timeout_ms: int) -> None:
    locator = await locate(tab, element)
    with translated("Hovering"):
        await locator.hover(timeout=timeout_ms)


async def select(tab: Tab, element: Element, values: Sequence[str], *, timeout_ms: int) -> list[str]:
    locator = await locate(tab, element)
    with translated("Selecting"):
        return await locator.select_option(list(values), timeout=timeout_ms)


async def press(tab: Tab, key: str, element: Element | None, *, timeout_ms: int) -> None:
    if element is None:
        with translated(f"Pressing {key}"):
            await tab.page.keyboard.press(key)
        return
    locator = await locate(tab, element)
    with translated(f"Pressing {key}"):
        await locator.press(key, timeout=timeout_ms)
