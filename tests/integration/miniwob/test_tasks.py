"""MiniWoB++ tasks, solved by scripted agents through a real MCP client, from tool results alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from mcp.client import Client

from tests.clients import http_client, in_own_task
from tests.hub_process import HubProcess
from tests.sites import Site

from .conftest import pages_folder
from .episodes import open_task, play
from .solvers import SOLVERS

MIN_TASKS = 40


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(hub_without_rate_limit: HubProcess) -> AsyncIterator[Client]:
    """One session for all tasks: each begins with a navigation."""
    async with in_own_task(http_client(hub_without_rate_limit, query="?tools=full")) as client:
        yield client


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "seeds", [pytest.param((1,), id="once"), pytest.param((2, 3), id="more", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("task", sorted(SOLVERS))
async def test_a_task_is_solved_for_every_seed(
    client: Client, tasks_site: Site, task: str, seeds: tuple[int, ...]
) -> None:
    await open_task(client, tasks_site, task)
    for seed in seeds:
        verdict = await play(client, task, seed)
        assert verdict.done, f"seed {seed}: the page still waits for something"
        assert verdict.reward >= 0.99, f"seed {seed}: {verdict}"


def test_there_are_enough_tasks_and_each_has_a_page() -> None:
    assert len(SOLVERS) >= MIN_TASKS
    assert [task for task in SOLVERS if not (pages_folder() / "miniwob" / f"{task}.html").is_file()] == []
