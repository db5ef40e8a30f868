"""Difficult pages, each with a path of its own, on two loopback addresses that are two sites."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.integration.miniwob.agent import Agent
from tests.sites import Site, serving

Visit = Callable[..., Any]


class PageAgent(Agent):
    """An agent on a difficult page; ``evaluate`` is for the test, not for the agent."""

    async def evaluate(self, expression: str) -> Any:
        result = await call(self.client, "browser_evaluate", expression=expression)
        return result["result"]

    async def open(self, url: str) -> dict[str, Any]:
        result = await call(self.client, "browser_navigate", url=url)
        await self.snapshot()
        return result


@pytest.fixture
def visit(hub_without_rate_limit: HubProcess) -> Visit:
    """Open a page made of some HTML; other pages by their path."""

    @asynccontextmanager
    async def visiting(
        html: str, **pages: str | Callable[..., Awaitable[None]]
    ) -> AsyncGenerator[tuple[PageAgent, Site]]:
        made: Any = {"/": html, **{f"/{name}": page for name, page in pages.items()}}
        with serving(made) as site:
            for path, page in made.items():
                if isinstance(page, str):
                    site.pages[path] = f"<!doctype html><meta charset=utf-8>{page}".replace("{port}", str(site.port))
            async with http_client(hub_without_rate_limit, query="?tools=full") as client:
                agent = PageAgent(client, "")
                await agent.open(site.url("/"))
                yield agent, site

    return visiting
