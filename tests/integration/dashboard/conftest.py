"""A hub that requests approval for every action, and a fresh browser of the user."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from browser_pilot.engines.browser_finder import find_browser
from tests.hub_process import HubProcess, running_hub
from tests.integration.user_chrome.shop_scene import SHOP
from tests.sites import Site, serving

from .dashboard_client import open_dashboard

ASKING = '[policy]\nmode = "ask"\nstep_budget = 200\nrate_per_minute = 100000\n[sessions]\nmax = 50\n'


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("dashboard") / "home"
    home.mkdir()
    (home / "config.toml").write_text(ASKING)
    with running_hub(home) as process:
        yield process


@pytest.fixture(scope="session")
def shop() -> Generator[Site]:
    with serving({"/": SHOP}) as site:
        yield site


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser().executable)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """The user's browser: no cookies, no storage."""
    context = await chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-GB")
    yield context
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(context: BrowserContext, asking: HubProcess) -> Page:
    """The dashboard, signed in."""
    return await open_dashboard(context, asking)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests here share the browser, so they share its event loop."""
    for item in items:
        if Path(__file__).parent in item.path.parents and isinstance(item, pytest.Function):
            if inspect.iscoroutinefunction(item.obj):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if {"context", "page", "chromium"} & set(item.fixturenames):
                item.add_marker(pytest.mark.browser)
