"""Pages with a frame of another extension of the user: Chrome lets no debugger attach to them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from browser_pilot.errors import PageBarred
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.actions.acting import open_address
from tests.page.actions.site import Site

from .chrome import TIMEOUT_MS
from .in_process import InProcess, own_engine

# Password managers add such a frame when the page has a field; here on request. The frame reports when it runs.
INTRUDES = """addEventListener('message', (event) => {
  if (event.data === 'running') document.querySelector('iframe').dataset.running = '';
  if (event.data !== 'intrude') return;
  const frame = document.createElement('iframe');
  frame.src = chrome.runtime.getURL('frame.html');
  document.body.append(frame);
})"""
LOADS = 20
MANIFEST = {
    "manifest_version": 3,
    "name": "Intruder",
    "version": "1",
    "content_scripts": [{"matches": ["<all_urls>"], "js": ["intrude.js"], "run_at": "document_start"}],
    "web_accessible_resources": [{"resources": ["frame.html"], "matches": ["<all_urls>"]}],
}


@asynccontextmanager
async def chrome_with_an_intruder(folder: Path) -> AsyncGenerator[InProcess]:
    intruder = folder / "intruder"
    intruder.mkdir()
    (intruder / "manifest.json").write_text(json.dumps(MANIFEST))
    (intruder / "frame.html").write_text("<p>Another extension's own<script src='frame.js'></script>")
    (intruder / "frame.js").write_text("parent.postMessage('running', '*')")
    (intruder / "intrude.js").write_text(INTRUDES)
    async with own_engine(folder, "--host-resolver-rules=MAP *.test 127.0.0.1", other_extension=intruder) as own:
        yield own


async def intrude(page: Page) -> None:
    """Let the other extension put its frame into the page, and wait until that frame runs.

    The page itself knows. The test's own Playwright may lose the frame: when another debugger attaches to the page
    while the frame loads, Chrome reports the frame's target attached, detached and attached, and Playwright drops the
    frame.
    """
    await page.evaluate("postMessage('intrude')")
    await page.wait_for_selector("iframe[data-running]", state="attached", timeout=TIMEOUT_MS)


async def test_a_barred_page_names_the_reason_until_the_frame_is_gone(tmp_path: Path, pages: Site) -> None:
    async with chrome_with_an_intruder(tmp_path) as own, own.session() as session:
        tab = await session.open_tab()
        url = pages.add("page", "<title>page</title><h1>Here</h1>")
        await open_address(tab, url)
        users = await own.chrome.page_at(url)
        await intrude(users)
        with pytest.raises(PageBarred, match="another extension"):
            await take_snapshot(tab.world)
        popup = await own.chrome.popup(users)
        await expect(popup.locator("#tab-note")).to_contain_text("blocks agents here")
        await users.evaluate("document.querySelector('iframe').remove()")
        assert [row.name for row in (await take_snapshot(tab.world)).rows] == ["Here"]
        await intrude(users)
        await open_address(tab, pages.add("other", "<title>other</title><h1>There</h1>"))
        assert [row.name for row in (await take_snapshot(tab.world)).rows] == ["There"]
        assert users.url == pages.url("other")


async def test_the_other_extensions_frame_is_never_halted_by_our_debugger(tmp_path: Path, pages: Site) -> None:
    """Chrome lets us attach while the frame loads; auto-attach then halted it for good in one of some thirty loads."""
    async with chrome_with_an_intruder(tmp_path) as own, own.session() as session:
        tab = await session.open_tab()
        url = pages.add("page", "<title>page</title><h1>Here</h1>")
        await open_address(tab, url)
        users = await own.chrome.page_at(url)
        for _ in range(LOADS):
            await intrude(users)
            await users.evaluate("document.querySelector('iframe').remove()")
            assert [row.name for row in (await take_snapshot(tab.world)).rows] == ["Here"]
