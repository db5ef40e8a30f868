"""Measures how stable the picker's selectors are on real pages: `python -m bench.selectors`.

On each page it picks controls, headings, images and elements with text, and takes the best selector of each. Then it
re-renders the page as a new version of an application would: new elements, other generated class names, one more
wrapper, a banner, and a new first entry in every list and table. A selector lasts if it matches exactly its element.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Error, Page, async_playwright

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.launch_flags import launch_flags

from . import pages
from .server import Site

EXTENSION = Path(__file__).parents[1] / "src" / "browser_pilot" / "extension"
SCRIPTS = ("content/accname.js", "content/selector_generator.js", "content/page_selectors.js")
MAX_PICKED_ELEMENTS = 150
TARGET = 0.95

PAGE_SCRIPT = (Path(__file__).parent / "element_picker.js").read_text(encoding="utf-8").rstrip().removesuffix(";")


@dataclass
class Result:
    picked: int = 0
    unique: int = 0
    lasting: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    lost: list[str] = field(default_factory=list[str])


async def pick(page: Page, max_elements: int) -> list[dict[str, Any]]:
    """Returns the best selector of each picked element, with its kind and its number of matches."""
    for name in SCRIPTS:
        await page.evaluate((EXTENSION / name).read_text(encoding="utf-8"))
    return await page.evaluate(f"(maxElements) => {PAGE_SCRIPT}.pick(maxElements)", max_elements)


async def measure(page: Page, *, max_elements: int = MAX_PICKED_ELEMENTS) -> Result:
    """Picks elements, re-renders the page and resolves their selectors again."""
    best = await pick(page, max_elements)
    await page.evaluate(f"() => {PAGE_SCRIPT}.rerender()")
    selectors = [one.get("selector", "") for one in best]
    lasting: list[bool] = await page.evaluate(f"(selectors) => {PAGE_SCRIPT}.check(selectors)", selectors)
    result = Result(picked=len(best), unique=sum(one.get("count") == 1 for one in best), lasting=sum(lasting))
    result.kinds.update(f"{one['kind']}{' by position' if one.get('fragile') else ''}" for one in best)
    result.lost = [
        f"{one.get('selector')} for {one['html']}" for one, lasts in zip(best, lasting, strict=True) if not lasts
    ]
    return result


async def main() -> None:
    total = Result()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_browser(None).executable, args=launch_flags((), sandbox=False)
        )
        site = Site.start(pages.fetch())
        try:
            for one in pages.PAGES:
                page = await browser.new_page()
                try:
                    await page.goto(site.url(one.key, one.path), wait_until="load")
                except Error as error:
                    print(f"{one.key}: {error.message}")
                    continue
                result = await measure(page)
                print(f"{one.key:>20}: {result.lasting:4d} of {result.picked:4d} last, {result.unique} unique")
                for lost in result.lost[:4]:
                    print(f"{'':>22}{lost}")
                total.picked += result.picked
                total.unique += result.unique
                total.lasting += result.lasting
                total.kinds += result.kinds
                await page.close()
        finally:
            site.stop()
        await browser.close()
    print(
        f"unique {total.unique / total.picked:.1%}, lasting {total.lasting / total.picked:.1%} (target: {TARGET:.0%})"
    )
    print(", ".join(f"{kind} {count}" for kind, count in total.kinds.most_common()))


if __name__ == "__main__":
    asyncio.run(main())
