"""Fixtures of the audit log's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from browser_pilot.audit_log.audit_log import AuditLog

from .logs import opened


@pytest_asyncio.fixture
async def log(tmp_path: Path) -> AsyncIterator[AuditLog]:
    async with opened(tmp_path) as activity:
        assert activity.problem is None
        yield activity
