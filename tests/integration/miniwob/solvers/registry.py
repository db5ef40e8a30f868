"""The registry of the solvers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.integration.miniwob.agent import Agent

Solver = Callable[[Agent], Awaitable[None]]
SOLVERS: dict[str, Solver] = {}


def solves(*tasks: str) -> Callable[[Solver], Solver]:
    def register(solver: Solver) -> Solver:
        for task in tasks:
            assert task not in SOLVERS, f"{task} has two solvers"
            SOLVERS[task] = solver
        return solver

    return register
