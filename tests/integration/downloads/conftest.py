"""The hostile site, one per test worker, and a small disk."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from .hostile_site import HostileSite, hostile_site
from .small_disk import mounted


@pytest.fixture(scope="session")
def hostile() -> Generator[HostileSite]:
    with hostile_site() as site:
        yield site


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    with mounted(tmp_path / "disk") as folder:
        yield folder
