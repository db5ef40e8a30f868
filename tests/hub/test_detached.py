"""The hub as an adapter starts it: what it imports before its browser starts."""

from __future__ import annotations

import subprocess
import sys

SLOW_TO_IMPORT = ("mcp", "starlette", "typer", "browser_pilot.gateway", "browser_pilot.hub.app")


def test_the_browser_starts_before_the_rest_of_the_hub_is_imported() -> None:
    code = f"import sys, browser_pilot.hub.detached; print(*(set({SLOW_TO_IMPORT!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
