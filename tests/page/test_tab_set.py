"""Opening and closing tabs has a deadline: Playwright waits forever for a page whose renderer died meanwhile."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from playwright.async_api import BrowserContext, Page

from browser_pilot.errors import BrowserCrashed
from browser_pilot.page import tab_set
from browser_pilot.page.tab_set import SavedTab, TabSet

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture
def tabs(context: BrowserContext) -> TabSet:
    return TabSet(context, itertools.count(1), on_event=lambda _tab, _event: None)


async def _never(*_arguments: object) -> Page:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def test_a_page_that_never_opens_is_a_crash(tabs: TabSet, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(tab_set, "PAGE_TIMEOUT_SECONDS", 0.2)
        patched.setattr(BrowserContext, "new_page", _never)
        with pytest.raises(BrowserCrashed, match="Opening a tab did not finish within"):
            await tabs.open()
        with pytest.raises(BrowserCrashed, match="Opening a tab again did not finish within"):
            await tabs.reopen(SavedTab("t7", "about:blank"))
    assert (await tabs.reopen(SavedTab("t7", "about:blank"))).id == "t7"


async def test_a_page_that_never_closes_is_a_crash(tabs: TabSet, monkeypatch: pytest.MonkeyPatch) -> None:
    tab = await tabs.open()
    monkeypatch.setattr(tab_set, "PAGE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(Page, "close", _never)
    with pytest.raises(BrowserCrashed, match="Closing the tab did not finish within"):
        await tabs.close(tab)
