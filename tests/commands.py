"""Runs ``browser-pilot`` commands as processes of their own, with a home of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import fork_server
from .hub_process import environment

TIMEOUT_SECONDS = 100


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def run_pilot(home: Path, *arguments: str, stdin: str = "", env: Mapping[str, str | None] | None = None) -> Outcome:
    """A variable of ``env`` that is ``None`` is unset."""
    variables = {name: value for name, value in {**environment(home), **(env or {})}.items() if value is not None}
    if fork_server.SUPPORTED:
        done = fork_server.run_forked(arguments, variables, stdin=stdin, timeout_seconds=TIMEOUT_SECONDS)
    else:
        done = subprocess.run(
            [sys.executable, "-m", "browser_pilot", *arguments],
            env=variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_pilot_or_fail(home: Path, *arguments: str, stdin: str = "") -> str:
    """The output of a command that must succeed."""
    done = run_pilot(home, *arguments, stdin=stdin)
    assert done.code == 0, done.out + done.err
    return done.out
