from __future__ import annotations

import os
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from browser_pilot.cli import build_app
from browser_pilot.errors import PilotError
from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.commands import Outcome, run_pilot
from tests.hub_process import HubProcess, browsers_of, environment

Pilot = Callable[..., Outcome]
Invoke = Callable[..., Outcome]


@pytest.fixture
def pilot(home: Path) -> Generator[Pilot]:
    """Runs `browser-pilot` as a subprocess in its own home; stops a hub that it left running."""
    yield partial(run_pilot, home)
    info = read_runtime(home)
    if info is not None and info.pid != os.getpid() and psutil.pid_exists(info.pid):
        process = psutil.Process(info.pid)
        process.terminate()
        process.wait(20)
    assert browsers_of(home) == []


@pytest.fixture
def pilot_of_hub(hub: HubProcess) -> Pilot:
    """Runs `browser-pilot` in the home of the shared hub."""
    return partial(run_pilot, hub.home)


@pytest.fixture
def invoke(home: Path) -> Invoke:
    """Runs a command in this process, which is faster; for commands that start no processes."""

    def run(command: str, *arguments: str, stdin: str = "") -> Outcome:
        app = build_app(command)
        result = CliRunner().invoke(app, [command, *arguments], input=stdin, env=environment(home))
        errors = result.stderr
        if isinstance(result.exception, PilotError):
            errors += "".join([result.exception.message, *result.exception.suggestions])
        elif result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, errors)

    return run
