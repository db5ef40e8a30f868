"""Finds the element that a call names: a ref of the last snapshot, a selector, or a role with a name."""

from __future__ import annotations

import re
from typing import cast

from playwright.async_api import Error, Locator
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ..errors import ElementAmbiguous, ElementNotFound, InvalidArgument
from .playwright_errors import translated
from .tab import Tab

REF = re.compile(r"(?:f\d+)?e\d+")
APPEAR_MS = 2_000
SHOWN = 5
Element = str | dict[str, object]


async def locate(tab: Tab, element: Element) -> Locator:
    """Exactly one element; it may take a moment to appear."""
    locator, words = _locator(tab, element)
    with translated(f"Looking for {words}"):
        try:
            await locator.first.wait_for(state="attached", timeout=APPEAR_MS)
        except PlaywrightTimeout:
            raise ElementNotFound(
                f"Nothing on the page matches {words}.", suggestions=["Take a browser_snapshot and use a ref."]
            ) from None
        count = await locator.count()
    if count > 1:
        names = [await _describe(candidate) for candidate in (await locator.all())[:SHOWN]]
        raise ElementAmbiguous(
            f"{words} matches {count} elements.", suggestions=["Use a ref from browser_snapshot.", *names]
        )
    return locator


async def _describe(locator: Locator) -> str:
    try:
        return (await locator.aria_snapshot(timeout=APPEAR_MS)).splitlines()[0]
    except (Error, IndexError):
        return "(gone)"


def _locator(tab: Tab, element: Element) -> tuple[Locator, str]:
    if isinstance(element, str):
        if not element.strip():
            raise InvalidArgument("`element` is empty.", suggestions=["Give a ref such as e12, or a selector."])
        if REF.fullmatch(element):
            return tab.page.get_by_ref(element), f"ref {element}"
        return tab.page.locator(element), repr(element)
    match element:
        case {"ref": str(ref)} if len(element) == 1:
            return tab.page.get_by_ref(ref), f"ref {ref}"
        case {"css": str(css)} if len(element) == 1:
            return tab.page.locator(f"css={css}"), repr(css)
        case {"role": str(role), **rest} if not rest.keys() - {"name"}:
            name = rest.get("name")
            if name is None:
                return tab.page.locator(f"role={role}"), f"role {role}"
            if isinstance(name, str):
                quoted = name.replace("\\", "\\\\").replace('"', '\\"')
                return tab.page.locator(f'role={role}[name="{quoted}"]'), f"{role} {name!r}"
        case _:
            pass
    raise InvalidArgument(
        f"`element` = {cast(object, element)!r} is not understood.",
        suggestions=['Use "e12", a selector, {"ref": "e12"}, {"css": "…"} or {"role": "button", "name": "…"}.'],
    )
