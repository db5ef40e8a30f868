"""agent-browser's MCP server. Its daemon and browser outlive the client; a separate workspace isolates them.

Its default snapshot has controls only, so both forms are measured. Its delta snapshot is a separate row.
"""

from __future__ import annotations

import itertools
import json
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from bench import cache
from bench.rpc import CallFailed, JsonObject, Launch, TimedResult
from bench.workspace import Workspace

from .base import (
    Chromium,
    Field,
    McpSession,
    measure_start_up,
    read_tool_list,
    search_ref,
    sum_results,
)

_STOP_TIMEOUT_SECONDS = 20
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class AgentBrowser:
    name = "agent-browser"
    version = cache.AGENT_BROWSER[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._numbers = itertools.count()

    def start(self, workspace: Workspace) -> AgentBrowserSession:
        return AgentBrowserSession(self._launch(workspace), session=f"bench-{next(self._numbers)}")

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> float:
        return measure_start_up(self._launch(workspace, as_user=as_user))

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(workspace))}

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[AgentBrowserSession]:
        sessions: list[AgentBrowserSession] = []
        for url in urls:
            sessions.append(self.start(workspace))
            sessions[-1].navigate(url)
        return sessions

    def stop(self, workspace: Workspace) -> None:
        command = [str(_binary()), "close", "--all"]
        subprocess.run(
            command, env=self._environ(workspace), capture_output=True, timeout=_STOP_TIMEOUT_SECONDS, check=False
        )

    def _environ(self, workspace: Workspace) -> dict[str, str]:
        return workspace.environ(
            AGENT_BROWSER_EXECUTABLE_PATH=str(self._chromium.executable),
            AGENT_BROWSER_ARGS="\n".join(self._chromium.args),
            AGENT_BROWSER_NAMESPACE=workspace.marker,
        )

    def _launch(self, workspace: Workspace, *, as_user: bool = False) -> Launch:
        npx = [str(cache.node_folder() / "npx"), "agent-browser"]
        command = npx if as_user else [str(_binary())]
        return Launch(argv=[*command, "mcp"], environ=self._environ(workspace), folder=cache.PEERS)


def _binary() -> Path:
    machine = _MACHINES[platform.machine().lower()]
    name = f"agent-browser-{platform.system().lower()}-{machine}"
    return cache.PEERS / "node_modules" / "agent-browser" / "bin" / name


class AgentBrowserSession(McpSession):
    def __init__(self, launch: Launch, *, session: str) -> None:
        super().__init__(launch)
        self._session = session

    def navigate(self, url: str) -> TimedResult:
        return self._do("open", url=url)

    def snapshot(self) -> TimedResult:
        return self._do("snapshot", interactive=False)

    def controls(self) -> TimedResult:
        return self._do("snapshot")

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        return "@" + search_ref(rf'- {role} "{re.escape(name)}".*?\bref=(\w+)', snapshot, f"{role} {name}")

    def click(self, ref: str) -> TimedResult:
        return self._do("click", selector=ref)

    def click_and_snapshot(self, ref: str) -> TimedResult:
        return self.click(ref) + self.controls()

    def click_and_diff(self, ref: str) -> TimedResult:
        self._do("snapshot", delta=True)
        return self.click(ref) + self._do("snapshot", delta=True)

    def type(self, ref: str, text: str) -> TimedResult:
        return self._do("fill", selector=ref, text=text)

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        return self.type(ref, text) + self.controls()

    def fill(self, fields: Sequence[Field]) -> TimedResult:
        """One call per field: the default profile has no form tool."""
        return sum_results([self.type(field.ref, field.value) for field in fields])

    def evaluate(self, expression: str) -> TimedResult:
        return self._do("eval", script=expression)

    def wait_for_text(self, text: str) -> TimedResult:
        return self._do("wait_for_text", text=text)

    def _do(self, tool: str, **arguments: object) -> TimedResult:
        result = self.call(f"agent_browser_{tool}", session=self._session, **arguments)
        if result.text.startswith("{") and '"success": false' in result.text[-40:]:
            error = cast(JsonObject, json.loads(result.text)).get("error")
            raise CallFailed(f"{tool}: {error}")
        return result
