"""Fixtures and options of all tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.async_api import expect

from .hub_process import HubProcess, running_hub
from .sites import LOGIN, Site, serving
from .waiting import TIMEOUT_SECONDS

# No deadline per example: the tests share two cores with browsers.
settings.register_profile("no_deadline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no_deadline")

expect.set_options(timeout=TIMEOUT_SECONDS * 1000)

# Every hub starts a Playwright driver. A shared compile cache makes that faster.
os.environ.setdefault("NODE_COMPILE_CACHE", str(Path(sys.prefix) / "driver-cache"))

# Hubs of tests connect directly, unless a test says otherwise.
for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
    for variable in (name, name.upper()):
        os.environ.pop(variable, None)

HubWith = Callable[[str], HubProcess]

# Fixtures that are slow to set up: all tests that use one run in the same worker.
EXPENSIVE_FIXTURES = ("grid", "chrome", "users_chrome", "own", "asking_hub", "shop_hub", "asking")

# Clients of the stateless protocol revision do not disconnect, so their sessions add up.
MANY_CLIENTS = "[sessions]\nmax = 200\nmemory_mb = 16000\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--own", action="store_true", help="Run the tests of pages in the user's own Chrome, through the extension."
    )
    parser.addoption("--long", action="store_true", help="Also run tests that take minutes.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        used = [name for name in EXPENSIVE_FIXTURES if name in getattr(item, "fixturenames", ())]
        if used:
            item.add_marker(pytest.mark.xdist_group(used[0]))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("long") and not item.config.getoption("long"):
        pytest.skip("takes minutes; run it with --long")
    if item.get_closest_marker("managed") and item.config.getoption("own"):
        pytest.skip("applies to managed browsers only")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The test's own home; it does not exist yet."""
    return tmp_path / "home"


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub that the tests of one worker share. Each test connects its own client."""
    home = tmp_path_factory.mktemp("hub") / "home"
    home.mkdir()
    (home / "config.toml").write_text(MANY_CLIENTS)
    with running_hub(home) as process:
        yield process


@pytest.fixture(scope="module")
def hub_with(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubWith]:
    """Hubs by their ``config.toml``: the tests of a module share one for each, with its home. Each test connects its
    own client, and leaves no rule and no other setting behind."""
    hubs: dict[str, HubProcess] = {}
    with ExitStack() as stack:

        def hub_with_settings(settings: str) -> HubProcess:
            if settings not in hubs:
                home = tmp_path_factory.mktemp("shared") / "home"
                home.mkdir()
                (home / "config.toml").write_text(settings, encoding="utf-8")
                hubs[settings] = stack.enter_context(running_hub(home))
            return hubs[settings]

        yield hub_with_settings


@pytest.fixture(scope="session")
def hub_without_rate_limit(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub for tests that exceed the default rate limit."""
    home = tmp_path_factory.mktemp("unlimited") / "home"
    home.mkdir()
    (home / "config.toml").write_text(f"{MANY_CLIENTS}[policy]\nrate_per_minute = 100000\n")
    with running_hub(home) as process:
        yield process


@pytest.fixture(scope="session")
def site() -> Generator[Site]:
    with serving({"/": LOGIN}) as served:
        yield served


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of compiled modules for all tests and workers: compiling the JavaScript engine takes seconds."""
    base = tmp_path_factory.getbasetemp()
    # With several workers, each has its own folder in a common one.
    return (base.parent if base.name.startswith("popen-") else base) / "compiled"
