"""The user's own Chrome for tests: a real Chromium with the extension, and the user's actions in its popup."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page, Worker, async_playwright, expect

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.launch_flags import QUIET_FLAGS
from browser_pilot.engines.remote import connect_in_attempts
from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from tests.hub_process import HubProcess
from tests.waiting import eventually

EXTENSION = Path(__file__).parents[3] / "src" / "browser_pilot" / "extension"
TIMEOUT_MS = 60_000
START_TIMEOUT_SECONDS = 90
ALWAYS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--no-default-browser-check",
    "--password-store=basic",
    "--window-size=1280,860",
    "about:blank",
)


@dataclass
class Chrome:
    """What the user sees and does. Their own tabs are pages of ``context``."""

    context: BrowserContext
    downloads: Path
    pid: int

    async def worker(self) -> Worker:
        found = [one for one in self.context.service_workers if EXTENSION_ID in one.url]
        return found[0] if found else await self.context.wait_for_event("serviceworker", timeout=TIMEOUT_MS)

    async def tab_id(self, page: Page) -> int:
        """Chrome's tab id of a page."""
        find = "(url) => chrome.tabs.query({}).then((tabs) => tabs.find((tab) => tab.url === url).id)"
        return int(await (await self.worker()).evaluate(find, page.url))

    async def tabs(self) -> list[dict[str, Any]]:
        return await (await self.worker()).evaluate("() => chrome.tabs.query({})")

    async def page_at(self, url: str) -> Page:
        """The user's view of a page that an agent opened. The test's own connection may learn of it a moment later."""

        def found() -> list[Page]:
            return [page for page in self.context.pages if page.url == url]

        await eventually(found, f"a page at {url}")
        return found()[0]

    async def popup(self, page: Page | None = None) -> Page:
        """The popup for a page. It opens in a tab: tests cannot open a real popup."""
        return await self._own_page("pages/popup.html", page)

    async def panel(self, page: Page | None = None) -> Page:
        """The side panel for a page, in a tab."""
        return await self._own_page("pages/side_panel.html", page)

    async def options(self) -> Page:
        return await self._own_page("pages/options.html", None)

    async def set_server(self, port: int) -> None:
        """Save the hub's address in the options."""
        options = await self.options()
        await options.get_by_label("Server").fill(f"127.0.0.1:{port}")
        await options.get_by_role("button", name="Save").click()
        await expect(options.locator("#note")).to_have_text("Saved.", timeout=TIMEOUT_MS)
        await options.close()

    async def pair(self, hub: HubProcess) -> None:
        with hub.http() as http:
            code = str(http.post("/api/pairing").json()["code"])
        await self.pair_at(hub.info.port, code)

    async def pair_at(self, port: int, code: str) -> None:
        """Type the hub's address and its code into the popup."""
        popup = await self.popup()
        await popup.get_by_label("Server").fill(f"127.0.0.1:{port}")
        await popup.get_by_label("Server").press("Tab")
        await popup.get_by_label("Pairing code").fill(code)
        await popup.get_by_role("button", name="Pair", exact=True).click()
        await expect(popup.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
        await popup.close()

    async def share(self, page: Page) -> None:
        """Click "Connect this tab" for a page."""
        popup = await self.popup(page)
        await popup.get_by_role("button", name="Connect this tab").click()
        await expect(popup.get_by_role("button", name="Disconnect this tab")).to_be_visible()
        await popup.close()

    async def _own_page(self, name: str, about: Page | None) -> Page:
        query = "" if about is None else f"?tab={await self.tab_id(about)}"
        opened = await self.context.new_page()
        await opened.goto(f"chrome-extension://{EXTENSION_ID}/{name}{query}")
        return opened

    async def open(self, url: str) -> Page:
        page = await self.context.new_page()
        await page.goto(url)
        return page


@asynccontextmanager
async def own_chrome(
    folder: Path, *more_arguments: str, other_extension: Path | None = None, downloads: Path | None = None
) -> AsyncGenerator[Chrome]:
    """Chrome as a user would start it; the test observes, and changes nothing about pages, files or dialogs.

    ``other_extension`` is one more extension of the user, ``downloads`` the folder of the user's downloads.
    """
    downloads = downloads or folder / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    profile = folder / "profile"
    (profile / "Default").mkdir(parents=True)
    # Without developer mode an extension that reloads itself stays disabled.
    preferences = {
        "extensions": {"ui": {"developer_mode": True}},
        "download": {"default_directory": str(downloads), "prompt_for_download": False},
    }
    (profile / "Default" / "Preferences").write_text(json.dumps(preferences))
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    extensions = f"{EXTENSION},{other_extension}" if other_extension else str(EXTENSION)
    own_arguments = (
        f"--user-data-dir={profile}",
        f"--disable-extensions-except={extensions}",
        f"--load-extension={extensions}",
        *ALWAYS,
        *more_arguments,
    )
    executable = find_browser(os.environ.get("BROWSER_PILOT_BROWSER__EXECUTABLE")).executable
    command = [str(executable), *QUIET_FLAGS, *(["--no-sandbox"] if is_root else []), *own_arguments]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with async_playwright() as playwright:
            browser = await connect_in_attempts(playwright, f"http://127.0.0.1:{port}", TIMEOUT_MS, no_defaults=True)
            context = browser.contexts[0]
            # Without a listener Playwright closes dialogs, which the hub has to handle.
            context.on("dialog", lambda _: None)
            yield Chrome(context, downloads, process.pid)
            await browser.close()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _port(path: Path) -> int:
    def first_line() -> list[str]:
        return path.read_text().splitlines()[:1] if path.exists() else []

    await eventually(first_line, "Chrome's debugging port", timeout_seconds=START_TIMEOUT_SECONDS)
    return int(first_line()[0])
