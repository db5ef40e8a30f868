"""Large files pass through: the hub's memory, and that of everything it started, hardly grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import call, http_client
from tests.hub_process import running_hub

from .hostile_site import HostileSite
from .memory import MOST_MORE_MB, memory_mb, peak_memory_mb

pytestmark = [pytest.mark.browser, pytest.mark.managed]


@pytest.mark.parametrize(("size_mb", "most_mb"), [(128, 96), pytest.param(500, MOST_MORE_MB, marks=pytest.mark.long)])
async def test_a_large_file_takes_little_memory(home: Path, hostile: HostileSite, size_mb: int, most_mb: int) -> None:
    # The page that is kept ready for the next session would come in the middle of it, and weighs 22 MB.
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nwarm = false\n")
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            hostile.big_mb = 64  # what passes through has its buffers then
            await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=100_000)
            before = memory_mb(hub.info.pid)
            hostile.big_mb = size_mb
            async with peak_memory_mb(hub.info.pid) as peak:
                told = await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=100_000)
    assert told["size"] == size_mb << 20
    assert peak.mb - before < most_mb
