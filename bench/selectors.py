"""How long the picker's selectors last, on real pages: `python -m bench.selectors`.

Elements that a person would point at are picked on each page: everything that can be pressed or filled in, headings,
pictures, and whatever holds text of its own. Each gets its best selector. Then the page is drawn anew as a changed
application would: every element is another one, class names that a build makes up are others, there is a wrapper and a
banner more, and every list and table begins with a new entry. A selector lasts when it finds exactly its element.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Error, Page, async_playwright

from browser_pilot.engines.arguments import launch_arguments
from browser_pilot.engines.finder import find_browser

from . import pages
from .server import Site

EXTENSION = Path(__file__).parents[1] / "src" / "browser_pilot" / "extension"
SCRIPTS = ("element_words.js", "selectors.js", "page_selectors.js")
MOST_PICKED = 150
TARGET = 0.95

IN_THE_PAGE = (Path(__file__).parent / "picking.js").read_text(encoding="utf-8").rstrip().removesuffix(";")


@dataclass
class Result:
    picked: int = 0
    unique: int = 0
    lasting: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    lost: list[str] = field(default_factory=list[str])


async def pick(page: Page, most: int) -> list[dict[str, Any]]:
    """The best selector of each picked element, with its kind and how many elements it finds."""
    for name in SCRIPTS:
        await page.evaluate((EXTENSION / name).read_text(encoding="utf-8"))
    return await page.evaluate(f"(most) => {IN_THE_PAGE}.pick(most)", most)


async def measure(page: Page, *, most: int = MOST_PICKED) -> Result:
    """Pick elements of the page as it is, draw it anew, and find them again."""
    best = await pick(page, most)
    await page.evaluate(f"() => {IN_THE_PAGE}.redraw()")
    selectors = [one.get("selector", "") for one in best]
    lasting: list[bool] = await page.evaluate(f"(selectors) => {IN_THE_PAGE}.check(selectors)", selectors)
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
            executable_path=find_browser(None).executable, args=launch_arguments((), sandbox=False)
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
