from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import CliRunner

from browser_pilot.cli import build_app
from browser_pilot.errors import PilotError
from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.hub_process import HubProcess, browsers_of, environment

COMMAND_SECONDS = 100


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Pilot = Callable[..., Outcome]
Invoke = Callable[..., Outcome]


def run_pilot(home: Path, *arguments: str, stdin: str = "", env: Mapping[str, str | None] | None = None) -> Outcome:
    variables = {**environment(home), **(env or {})}
    done = subprocess.run(
        [sys.executable, "-m", "browser_pilot", *arguments],
        env={name: value for name, value in variables.items() if value is not None},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


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
