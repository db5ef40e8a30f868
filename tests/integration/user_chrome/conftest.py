"""A user's own Chrome with the extension, paired with a hub that uses it by default."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Generator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from tests.hub_process import HubProcess, running_hub
from tests.page.actions.site import Site, serve_site
from tests.sites import Site as Shop
from tests.sites import serving

from .chrome import Chrome, own_chrome
from .in_process import InProcess, own_engine
from .shop_scene import ASKING, SHOP, Opening, opened

OWN = '[browser]\nengine = "own"\n[policy]\nown_mode = "auto"\nrate_per_minute = 100000\n'


@pytest.fixture(scope="session")
def own_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("own") / "home"
    home.mkdir()
    (home / "config.toml").write_text(OWN)
    with running_hub(home) as process:
        yield process


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chrome(own_hub: HubProcess, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chrome]:
    """One paired Chrome per pytest worker; each test closes the tabs that it opened."""
    async with own_chrome(tmp_path_factory.mktemp("chrome")) as chrome:
        await chrome.pair(own_hub)
        yield chrome


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def own(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    """The engine in this process, with a Chrome of its own."""
    arguments = ("--site-per-process", "--host-resolver-rules=MAP *.test 127.0.0.1")
    async with own_engine(tmp_path_factory.mktemp("engine"), *arguments) as engine:
        yield engine


@pytest_asyncio.fixture(loop_scope="session")
async def pages() -> AsyncIterator[Site]:
    async with serve_site() as site:
        yield site


@pytest.fixture(scope="session")
def asking_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("asking") / "home"
    home.mkdir()
    (home / "config.toml").write_text(ASKING)
    with running_hub(home) as process:
        yield process


@pytest.fixture(scope="session")
def shop() -> Generator[Shop]:
    with serving({"/": SHOP}) as site:
        yield site


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def users_chrome(asking_hub: HubProcess, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chrome]:
    async with own_chrome(tmp_path_factory.mktemp("users")) as chrome:
        await chrome.pair(asking_hub)
        yield chrome


@pytest.fixture
def opening(asking_hub: HubProcess, users_chrome: Chrome, shop: Shop) -> Opening:
    return partial(opened, asking_hub, users_chrome, shop.url("/"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests here share the browser, so they share its event loop."""
    for item in items:
        if Path(__file__).parent in item.path.parents and isinstance(item, pytest.Function):
            if inspect.iscoroutinefunction(item.obj):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if {"chrome", "own", "users_chrome"} & set(item.fixturenames):
                item.add_marker(pytest.mark.browser)
