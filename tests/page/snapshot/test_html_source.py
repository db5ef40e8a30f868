"""The HTML source and the links of a page."""

from __future__ import annotations

from browser_pilot.page.snapshot.html_source import page_links, page_source
from tests.page.conftest import Show


async def test_the_source_is_the_current_document(show: Show) -> None:
    tab = await show("<p id=p>Before</p>")
    await tab.page.evaluate("document.querySelector('#p').textContent = 'After'")
    assert '<p id="p">After</p>' in await page_source(tab)


async def test_only_http_links_are_listed(show: Show) -> None:
    tab = await show("<a href='https://a.test/x'> One </a><a href='mailto:a@b.test'>Mail</a><a>No link</a>")
    assert await page_links(tab, timeout_ms=10_000) == [{"text": "One", "url": "https://a.test/x"}]
