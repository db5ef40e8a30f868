"""A full disk in the user's own Chrome is reported, and no file stays in the user's folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.integration.downloads.expected import saved
from tests.integration.downloads.hostile_site import PICTURES, hostile_site
from tests.integration.downloads.small_disk import mounted

from .chrome import own_chrome
from .conftest import OWN


@pytest_asyncio.fixture(loop_scope="session")
async def full(home: Path, tmp_path: Path) -> AsyncIterator[tuple[HubProcess, Path]]:
    """A hub whose Chrome saves on a small disk."""
    home.mkdir()
    (home / "config.toml").write_text(OWN)
    with mounted(tmp_path / "disk") as disk, running_hub(home) as hub:
        async with own_chrome(tmp_path / "chrome", downloads=disk) as chrome:
            await chrome.pair(hub)
            yield hub, disk


async def test_a_full_disk_is_reported_and_leaves_no_file(full: tuple[HubProcess, Path]) -> None:
    hub, disk = full
    with hostile_site() as hostile:
        async with http_client(hub) as client:
            for page in ("/", "/strict"):  # the page fetches; only the browser may
                await call(client, "browser_navigate", url=hostile.url(page))
                error = await fail(client, "browser_download", url=hostile.url("/ranges.txt"))
                assert (error["message"], error["reason"]) == ("The disk is full.", "disk_full"), page
                assert list(disk.iterdir()) == []
            clicked = await call(client, "browser_click", element="#clicked")
            error = await fail(client, "browser_download", id=clicked["downloads"][0]["id"])
            assert error["reason"] == "disk_full"
            assert list(disk.iterdir()) == []
            assert await saved(client, selector="#img") == (PICTURES["img"], "png")
