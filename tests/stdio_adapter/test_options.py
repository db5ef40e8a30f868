"""The adapter's command line, and how few modules it imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from browser_pilot.stdio_adapter.options import parse_options

from .conftest import INITIALIZE
from .fake_hub import FakeHub


def test_without_arguments_there_are_no_options() -> None:
    assert parse_options([]) == {}


def test_options_have_their_name_and_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = (
        "--tools full --format json --headed --browser chrome --user-data-dir profile --viewport 1280x720"
        " --read-only --max-tokens 4000 --timeout-ms 5000"
    )
    assert parse_options(arguments.split()) == {
        "tools": "full",
        "format": "json",
        "headed": True,
        "browser": "chrome",
        "user_data_dir": str(tmp_path / "profile"),
        "viewport": "1280x720",
        "read_only": True,
        "max_tokens": 4000,
        "timeout_ms": 5000,
    }


def test_the_path_of_a_browser_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_options(["--browser", "./chrome"]) == {"browser": str(tmp_path / "chrome")}


def test_the_adapter_imports_little_and_only_the_standard_library(hub: FakeHub) -> None:
    code = (
        "import sys; from browser_pilot.__main__ import main; sys.argv = ['browser-pilot']; main();"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(INITIALIZE).encode() + b"\n",
        capture_output=True,
        env={**os.environ, "BROWSER_PILOT_HOME": str(hub.home)},
        timeout=100,
        check=True,
    )
    assert json.loads(done.stdout)["id"] == INITIALIZE["id"]
    imported = set(done.stderr.decode().split())
    ours = {name for name in imported if name.startswith("browser_pilot")}
    foreign = {name.partition(".")[0] for name in imported - ours} - set(sys.stdlib_module_names)
    # Imported by site and the editable install before our first line.
    assert not foreign - {"_distutils_hack", "__main__", "sitecustomize", "usercustomize"}
    assert not imported & {
        "asyncio",
        "argparse",
        "dataclasses",
        "subprocess",
        "logging",
        "browser_pilot.config.settings",
        "browser_pilot.cli",
    }
