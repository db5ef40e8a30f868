"""Tasks where the page responds to each move: guessing, rolling, playing."""

from __future__ import annotations

import re

from tests.integration.miniwob.agent import Agent

from .registry import solves


@solves("guess-number")
async def a_number_by_halving(agent: Agent) -> None:
    low, high = 0, 9
    while True:
        guess = (low + high) // 2
        await agent.type(agent.one("spinbutton"), str(guess))
        await agent.submit()
        text = " ".join(agent.texts())
        if "higher than" in text:
            low = guess + 1
        elif "lower than" in text:
            high = guess - 1
        if agent.all("click", "START"):
            return
        assert low <= high, text


@solves("generate-number")
async def a_number_by_luck(agent: Agent) -> None:
    while True:
        await agent.submit("Generate")
        number = int(next(text for text in agent.texts() if re.fullmatch(r"\d+", text)))
        if fits(agent.task, number):
            break
    await agent.submit()


def fits(task: str, number: int) -> bool:
    if limit := re.search(r"(less|greater) than (\d+)", task):
        return number < int(limit[2]) if limit[1] == "less" else number > int(limit[2])
    return number % 2 == (1 if "odd" in task else 0)
