"""The page with one element of each kind."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.sites import Site, serving

from .page import PAGE


@pytest.fixture(scope="session")
def everything() -> Generator[Site]:
    with serving({"/everything": PAGE}) as served:
        yield served
