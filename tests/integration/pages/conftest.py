"""Difficult pages, each with a path of its own, on two loopback addresses that are two sites."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.integration.miniwob.agent import Agent
from tests.sites import Site, serving

Visit = Callable[..., Any]


class Visitor(Agent):
    """An agent on a difficult page; ``evaluate`` is for the test, not for the agent."""

    async def evaluate(self, expression: str) -> Any:
        answer = await call(self.client, "browser_evaluate", expression=expression)
        return json.loads(answer["result"])

    async def open(self, url: str) -> dict[str, Any]:
        answer = await call(self.client, "browser_navigate", url=url)
        await self.look()
        return answer


@pytest.fixture
def visit(unhurried_hub: HubProcess) -> Visit:
    """Open a page made of some HTML; other pages by their path."""

    @asynccontextmanager
    async def visiting(
        html: str, **pages: str | Callable[..., Awaitable[None]]
    ) -> AsyncGenerator[tuple[Visitor, Site]]:
        made: Any = {"/": html, **{f"/{name}": page for name, page in pages.items()}}
        with serving(made) as site:
            for path, page in made.items():
                if isinstance(page, str):
                    site.pages[path] = f"<!doctype html><meta charset=utf-8>{page}".replace("{port}", str(site.port))
            async with http_client(unhurried_hub, query="?tools=full") as client:
                visitor = Visitor(client, "")
                await visitor.open(site.url("/"))
                yield visitor, site

    return visiting
