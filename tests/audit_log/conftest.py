"""Fixtures of the records' tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from browser_pilot.records.activity import ActivityLog

from .logs import opened


@pytest_asyncio.fixture
async def log(tmp_path: Path) -> AsyncIterator[ActivityLog]:
    async with opened(tmp_path) as activity:
        assert activity.problem is None
        yield activity
