"""A Grid whose queue never ends: each call that needs a browser of it says that the Grid is full."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.clients import call, fail, http_client
from tests.hub_process import running_hub

CONFIG = '[browser]\nengine = "grid"\ngrid_url = "{url}"\nlaunch_timeout_ms = 3000\n'


@asynccontextmanager
async def full_grid() -> AsyncGenerator[str]:
    """Accepts requests for a session and never responds."""
    waiting: set[asyncio.Task[None] | None] = set()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting.add(asyncio.current_task())
        with suppress(ConnectionError):
            while await reader.read(65_536):
                pass
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        # The hub has ended, and with it its connections.
        await asyncio.gather(*(task for task in waiting if task is not None))


async def test_a_full_grid_is_reported_although_the_calls_own_time_is_shorter(home: Path) -> None:
    home.mkdir()
    async with full_grid() as url:
        (home / "config.toml").write_text(CONFIG.format(url=url))
        with running_hub(home) as hub:
            async with http_client(hub, query="?tools=full") as client:
                for arguments in ({"timeout_ms": 1_000}, {}):
                    error = await fail(client, "browser_navigate", url="http://127.0.0.1:9/", **arguments)
                    assert (error["error"], error["retryable"]) == ("GRID_FULL", True)
                assert (await fail(client, "browser_session", action="create"))["error"] == "GRID_FULL"
                assert (await call(client, "browser_session"))["sessions"]
