from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from .hub_process import HubProcess, running_hub
from .sites import LOGIN, Site, serving

# Time is no measure here: the tests share two cores with browsers.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Every hub starts a driver: what one has compiled helps the next, though each has a home of its own.
os.environ.setdefault("NODE_COMPILE_CACHE", str(Path(sys.prefix) / "driver-cache"))

# Fixtures that take long to make: all tests that use one run in the same worker.
DEAR_FIXTURES = ("grid", "chrome", "users_chrome", "own", "asking_hub", "shop_hub", "asking")

# Tests leave clients of the stateless era behind: they cannot be seen to go.
MANY_CLIENTS = "[sessions]\nmax = 200\nmemory_mb = 16000\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--own", action="store_true", help="Run the tests of pages in the user's own Chrome, through the extension."
    )
    parser.addoption("--long", action="store_true", help="Run also what takes minutes.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        used = [name for name in DEAR_FIXTURES if name in getattr(item, "fixturenames", ())]
        if used:
            item.add_marker(pytest.mark.xdist_group(used[0]))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("long") and not item.config.getoption("long"):
        pytest.skip("takes minutes; run it with --long")
    if item.get_closest_marker("managed") and item.config.getoption("own"):
        pytest.skip("says something about managed browsers only")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of its own for each test."""
    return tmp_path / "home"


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub that many tests of one worker share; each test is a client of its own."""
    home = tmp_path_factory.mktemp("hub") / "home"
    home.mkdir()
    (home / "config.toml").write_text(MANY_CLIENTS)
    with running_hub(home) as process:
        yield process


@pytest.fixture(scope="session")
def unhurried_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub for tests that call more often than a client may: hundreds of calls a minute."""
    home = tmp_path_factory.mktemp("unhurried") / "home"
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
    """Where compiled modules are kept for all tests and workers: compiling the JavaScript engine takes seconds."""
    base = tmp_path_factory.getbasetemp()
    # With several workers each has a folder of its own in a common one.
    return (base.parent if base.name.startswith("popen-") else base) / "compiled"
