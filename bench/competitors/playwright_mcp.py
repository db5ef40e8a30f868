"""Playwright MCP with the configuration of its README, headless and isolated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from bench import cache
from bench.rpc import Launch, TimedResult
from bench.workspace import Workspace

from .base import Chromium, Field, McpSession, measure_start_up, read_tool_list, search_ref


class PlaywrightMcp:
    name = "playwright-mcp"
    version = cache.PLAYWRIGHT_MCP[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    def start(self, workspace: Workspace) -> PlaywrightMcpSession:
        return PlaywrightMcpSession(self._launch(workspace))

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> float:
        return measure_start_up(self._launch(workspace, as_user=as_user))

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(workspace))}

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[PlaywrightMcpSession]:
        sessions: list[PlaywrightMcpSession] = []
        for url in urls:
            sessions.append(self.start(workspace))
            sessions[-1].navigate(url)
        return sessions

    def stop(self, workspace: Workspace) -> None:
        """Does nothing: each server exits with its client."""

    def _launch(self, workspace: Workspace, *, as_user: bool = False) -> Launch:
        config = workspace.folder / "playwright-mcp.json"
        options = {"executablePath": str(self._chromium.executable), "args": self._chromium.args, "headless": True}
        browser = {"browserName": "chromium", "isolated": True, "launchOptions": options}
        config.write_text(
            json.dumps({"browser": browser, "outputDir": str(workspace.folder / "out")}), encoding="utf-8"
        )
        node = cache.node_folder()
        script = cache.PEERS / "node_modules" / "@playwright" / "mcp" / "cli.js"
        command = [str(node / "npx"), "@playwright/mcp"] if as_user else [str(node / "node"), str(script)]
        return Launch(argv=[*command, "--config", str(config)], environ=workspace.environ(), folder=cache.PEERS)


class PlaywrightMcpSession(McpSession):
    def navigate(self, url: str) -> TimedResult:
        return self.call("browser_navigate", url=url)

    def snapshot(self) -> TimedResult:
        return self.call("browser_snapshot")

    def controls(self) -> None:
        return None

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        return search_ref(rf'- {role} "{re.escape(name)}".*?\[ref=(\w+)\]', snapshot, f"{role} {name}")

    def click(self, ref: str) -> TimedResult:
        return self.call("browser_click", target=ref)

    def click_and_snapshot(self, ref: str) -> TimedResult:
        """Needs a second call: the result of a click links to a snapshot file, which a model cannot read."""
        return self.click(ref) + self.snapshot()

    def click_and_diff(self, ref: str) -> None:
        return None

    def type(self, ref: str, text: str) -> TimedResult:
        return self.call("browser_type", target=ref, text=text)

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        return self.type(ref, text) + self.snapshot()

    def fill(self, fields: Sequence[Field]) -> TimedResult:
        rows = [{"target": f.ref, "name": f.name, "type": "textbox", "value": f.value} for f in fields]
        return self.call("browser_fill_form", fields=rows)

    def evaluate(self, expression: str) -> TimedResult:
        return self.call("browser_evaluate", function=f"() => ({expression})")

    def wait_for_text(self, text: str) -> TimedResult:
        return self.call("browser_wait_for", text=text)
