"""A read that did not find what it looked for waits while the page works on what it shows, and no longer."""

from __future__ import annotations

import pytest

from browser_pilot.page.actions.selectors import Elements, Selector
from browser_pilot.page.snapshot import read_at_rest as module
from browser_pilot.page.snapshot.read_at_rest import read_at_rest
from browser_pilot.page.tab import Tab
from tests.page.actions.site import Site
from tests.page.conftest import Show


class Reader:
    """Looks for a button."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.reads = 0

    async def __call__(self) -> bool:
        self.reads += 1
        return (await Elements(self.tab.world).match(Selector(role="button")))[1] > 0


async def test_a_page_at_rest_is_not_read_again(show: Show) -> None:
    tab = await show("<p>Ready")
    await tab.page.evaluate("new Promise(done => setTimeout(done, 1000))")
    read = Reader(tab)
    assert await read_at_rest(tab, read) == ()
    assert read.reads == 0


async def test_what_a_request_brings_is_found(show: Show, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAIT_SECONDS", 60)
    monkeypatch.setattr(module, "MAX_REQUEST_AGE_SECONDS", 60)
    site.late("data", 0.5, "<button>Launch</button>")
    tab = await show(
        "<p>Starting<script>fetch('/data').then(reply => reply.text())"
        ".then(html => setTimeout(() => document.body.innerHTML = html, 50))</script>"
    )
    read = Reader(tab)
    assert await read_at_rest(tab, read) == ()
    assert await read()


async def test_a_request_without_end_is_reported(show: Show, site: Site) -> None:
    site.never("data")
    tab = await show("<p>Starting<script>fetch('/data')</script>")
    assert any("/data" in loading for loading in await read_at_rest(tab, Reader(tab)))
