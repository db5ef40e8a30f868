"""The harness: opens a task's page, starts an episode with a seed, and reads the reward that the page gave.

It alone runs scripts in the page, before and after the agent's turn.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mcp.client import Client

from tests.clients import call
from tests.sites import Site

from .agent import Agent
from .solvers import SOLVERS

_MAX_EPISODE_SECONDS = 60
_START = """(async () => {{
  core.EPISODE_MAX_TIME = {milliseconds};
  Math.seedrandom({seed});
  core.startEpisodeReal();
  while (!WOB_TASK_READY) await new Promise(requestAnimationFrame);
  return core.getUtterance();
}})()"""
_REWARD = "({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON ?? null})"


@dataclass(frozen=True)
class Verdict:
    """The page's result of an episode; the full reward is 1."""

    done: bool
    reward: float
    reason: str | None


async def open_task(client: Client, site: Site, task: str) -> None:
    await call(client, "browser_navigate", url=site.url(f"/miniwob/{task}.html"), wait_until="load")


async def play(client: Client, task: str, seed: int) -> Verdict:
    start = _START.format(milliseconds=_MAX_EPISODE_SECONDS * 1000, seed=json.dumps(f"seed {seed}"))
    utterance = await _run(client, start)
    agent = Agent(client, utterance)
    await agent.snapshot()
    await SOLVERS[task](agent)
    return Verdict(**await _run(client, _REWARD))


async def _run(client: Client, expression: str) -> Any:
    result = await call(client, "browser_evaluate", expression=expression)
    return result["result"]
