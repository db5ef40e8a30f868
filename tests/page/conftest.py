"""A real Chromium, one per worker; loopback servers for pages under several host names, and for slow ones."""

from __future__ import annotations

import asyncio
import inspect
import mimetypes
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, async_playwright

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.launch_flags import launch_flags
from browser_pilot.page.tab import Tab
from tests.integration.user_chrome.in_process import own_engine

from .actions.site import Site, serve_site

SITES = Path(__file__).parent / "sites"


@dataclass
class Sites:
    """The files of ``sites`` and pages made up by a test, under http://<any name>.test:<port>/."""

    port: int
    pages: dict[str, str] = field(default_factory=dict[str, str])

    def url(self, path: str, host: str = "a") -> str:
        return f"http://{host}.test:{self.port}/{path}"

    def add(self, path: str, html: str, host: str = "a") -> str:
        self.pages[f"/{path}"] = html.replace("{port}", str(self.port))
        return self.url(path, host)

    def body(self, path: str) -> tuple[int, str, bytes]:
        if path in self.pages:
            return 200, "text/html; charset=utf-8", self.pages[path].encode()
        file = SITES / path.lstrip("/")
        if file.is_file():
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            text = file.read_bytes().replace(b"{port}", str(self.port).encode())
            return 200, f"{kind}; charset=utf-8", text
        return 404, "text/html", b"<h1>Not found</h1>"


@asynccontextmanager
async def serve_sites() -> AsyncGenerator[Sites]:
    sites = Sites(port=0)

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode().split("?")[0]
            status, kind, body = sites.body(path)
            writer.write(
                f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    sites.port = server.sockets[0].getsockname()[1]
    async with server:
        yield sites


Show = Callable[[str], Awaitable[Tab]]
NewContext = Callable[[], AbstractAsyncContextManager[BrowserContext]]
CHOSEN = ("--site-per-process", "--host-resolver-rules=MAP *.test 127.0.0.1")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[NewContext]:
    """Makes contexts: in a Chromium of our own, or with ``--own`` in the user's, through the extension."""
    if request.config.getoption("own"):
        async with own_engine(tmp_path_factory.mktemp("own"), *CHOSEN) as engine:
            yield engine.new_context
        return
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    # A user may not choose how names are resolved; these tests have no proxy that would do it.
    arguments = [*launch_flags((), sandbox=not is_root), *CHOSEN]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_browser(os.environ.get("BROWSER_PILOT_BROWSER__EXECUTABLE")).executable, args=arguments
        )

        @asynccontextmanager
        async def new_context() -> AsyncGenerator[BrowserContext]:
            context = await browser.new_context(viewport={"width": 1280, "height": 720})
            yield context
            await context.close()

        yield new_context
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sites() -> AsyncIterator[Sites]:
    async with serve_sites() as sites:
        yield sites


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: NewContext) -> AsyncIterator[BrowserContext]:
    async with browser() as context:
        yield context


@pytest_asyncio.fixture(loop_scope="session")
async def page(context: BrowserContext) -> Page:
    return await context.new_page()


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[Site]:
    async with serve_site() as site:
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def tab(page: Page) -> Tab:
    return Tab("t1", page)


@pytest_asyncio.fixture(loop_scope="session")
async def show(tab: Tab, site: Site) -> Show:
    """Show a page made of some HTML."""

    async def show_page(html: str) -> Tab:
        await tab.page.goto(site.add("page", html), wait_until="domcontentloaded")
        return tab

    return show_page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests here share the browser, so they share its event loop."""
    for item in items:
        if Path(__file__).parent in item.path.parents and isinstance(item, pytest.Function):
            if inspect.iscoroutinefunction(item.obj):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if "browser" in item.fixturenames:
                item.add_marker(pytest.mark.browser)
