"""agent-browser's MCP server. It leaves a daemon and its browser running; a den of its own keeps them apart.

Its snapshot shows controls only unless asked for everything, so both are measured. It can also answer with a delta,
which is measured apart from its ordinary way.
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

from .. import cache
from ..processes import Den
from ..rpc import Answer, CallFailed, JsonObject, Launch
from .base import Chromium, Field, McpSession, add_up, measure_start_up, read_tool_list, search_handle

_STOP_SECONDS = 20
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class AgentBrowser:
    name = "agent-browser"
    version = cache.AGENT_BROWSER[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._numbers = itertools.count()

    def start(self, den: Den) -> AgentBrowserSession:
        return AgentBrowserSession(self._launch(den), session=f"bench-{next(self._numbers)}")

    def start_up_ms(self, den: Den, *, as_user: bool) -> float:
        return measure_start_up(self._launch(den, as_user=as_user))

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(den))}

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[AgentBrowserSession]:
        sessions: list[AgentBrowserSession] = []
        for url in urls:
            sessions.append(self.start(den))
            sessions[-1].navigate(url)
        return sessions

    def stop(self, den: Den) -> None:
        command = [str(_binary()), "close", "--all"]
        subprocess.run(command, env=self._environ(den), capture_output=True, timeout=_STOP_SECONDS, check=False)

    def _environ(self, den: Den) -> dict[str, str]:
        return den.environ(
            AGENT_BROWSER_EXECUTABLE_PATH=str(self._chromium.executable),
            AGENT_BROWSER_ARGS="\n".join(self._chromium.args),
            AGENT_BROWSER_NAMESPACE=den.mark,
        )

    def _launch(self, den: Den, *, as_user: bool = False) -> Launch:
        npx = [str(cache.node_folder() / "npx"), "agent-browser"]
        command = npx if as_user else [str(_binary())]
        return Launch(argv=[*command, "mcp"], environ=self._environ(den), folder=cache.PEERS)


def _binary() -> Path:
    machine = _MACHINES[platform.machine().lower()]
    name = f"agent-browser-{platform.system().lower()}-{machine}"
    return cache.PEERS / "node_modules" / "agent-browser" / "bin" / name


class AgentBrowserSession(McpSession):
    def __init__(self, launch: Launch, *, session: str) -> None:
        super().__init__(launch)
        self._session = session

    def navigate(self, url: str) -> Answer:
        return self._do("open", url=url)

    def snapshot(self) -> Answer:
        return self._do("snapshot", interactive=False)

    def controls(self) -> Answer:
        return self._do("snapshot")

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        return "@" + search_handle(rf'- {role} "{re.escape(name)}".*?\bref=(\w+)', snapshot, f"{role} {name}")

    def click(self, handle: str) -> Answer:
        return self._do("click", selector=handle)

    def click_and_see(self, handle: str) -> Answer:
        return self.click(handle) + self.controls()

    def click_and_see_changes(self, handle: str) -> Answer:
        self._do("snapshot", delta=True)
        return self.click(handle) + self._do("snapshot", delta=True)

    def type(self, handle: str, text: str) -> Answer:
        return self._do("fill", selector=handle, text=text)

    def type_and_see(self, handle: str, text: str) -> Answer:
        return self.type(handle, text) + self.controls()

    def fill(self, fields: Sequence[Field]) -> Answer:
        """Its default profile has no tool for a whole form."""
        return add_up([self.type(field.handle, field.value) for field in fields])

    def evaluate(self, expression: str) -> Answer:
        return self._do("eval", script=expression)

    def wait_for_text(self, text: str) -> Answer:
        return self._do("wait_for_text", text=text)

    def _do(self, tool: str, **arguments: object) -> Answer:
        answer = self.call(f"agent_browser_{tool}", session=self._session, **arguments)
        if answer.text.startswith("{") and '"success": false' in answer.text[-40:]:
            error = cast(JsonObject, json.loads(answer.text)).get("error")
            raise CallFailed(f"{tool}: {error}")
        return answer
