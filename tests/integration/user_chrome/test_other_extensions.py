"""Pages into which another extension of the user's has put a frame: Chrome lets no debugger in beside it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from browser_pilot.errors import PageBarred
from browser_pilot.pages.navigate import open_address
from browser_pilot.pages.snapshot import take_view

from ..acting.site import Site
from .chrome import PATIENCE_MS
from .in_process import InProcess, own_engine

# As password managers do, when the page offers a field; here, when the page asks for it.
INTRUDES = """addEventListener('message', () => {
  const frame = document.createElement('iframe');
  frame.src = chrome.runtime.getURL('frame.html');
  document.body.append(frame);
})"""
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
    (intruder / "frame.html").write_text("<p>Another extension's own")
    (intruder / "intrude.js").write_text(INTRUDES)
    async with own_engine(folder, "--host-resolver-rules=MAP *.test 127.0.0.1", beside=intruder) as own:
        yield own


async def intrude(page: Page) -> None:
    """Let the other extension put its frame into the page, seen from the user's side."""
    await page.evaluate("postMessage('now')")
    await page.wait_for_selector("iframe", state="attached")
    await expect(page.frame_locator("iframe").get_by_text("Another extension's own")).to_be_visible(timeout=PATIENCE_MS)


async def test_the_agent_is_told_why_and_is_back_as_soon_as_the_frame_is_gone(tmp_path: Path, pages: Site) -> None:
    async with chrome_with_an_intruder(tmp_path) as own, own.session() as session:
        tab = await session.open_tab()
        url = pages.add("page", "<title>page</title><h1>Here</h1>")
        await open_address(tab, url)
        users = next(page for page in own.chrome.context.pages if page.url == url)
        await intrude(users)
        with pytest.raises(PageBarred, match="another extension"):
            await take_view(tab.world)
        popup = await own.chrome.popup(users)
        await expect(popup.locator("#tab-note")).to_contain_text("lets no agent in")
        await users.evaluate("document.querySelector('iframe').remove()")
        assert [row.name for row in (await take_view(tab.world)).rows] == ["Here"]
        await intrude(users)
        await open_address(tab, pages.add("other", "<title>other</title><h1>There</h1>"))
        assert [row.name for row in (await take_view(tab.world)).rows] == ["There"]
        assert users.url == pages.url("other")
