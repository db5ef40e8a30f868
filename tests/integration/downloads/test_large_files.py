"""Large files are streamed: the memory of the hub and its browsers hardly grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import call, http_client
from tests.hub_process import running_hub

from .hostile_site import HostileSite
from .memory import MAX_GROWTH_MB, memory_mb, peak_memory_mb

pytestmark = [pytest.mark.browser, pytest.mark.managed]


@pytest.mark.parametrize(("size_mb", "max_mb"), [(128, 96), pytest.param(500, MAX_GROWTH_MB, marks=pytest.mark.long)])
async def test_a_large_file_takes_little_memory(home: Path, hostile: HostileSite, size_mb: int, max_mb: int) -> None:
    # Without a warm context: it would be opened during the measurement, and takes 22 MB.
    home.mkdir()
    (home / "config.toml").write_text("[sessions]\nwarm = false\n")
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            hostile.big_mb = 64  # allocates the buffers
            await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=100_000)
            before = memory_mb(hub.info.pid)
            hostile.big_mb = size_mb
            async with peak_memory_mb(hub.info.pid) as peak:
                result = await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=100_000)
    assert result["size"] == size_mb << 20
    assert peak.mb - before < max_mb
