"""Playwright MCP, as its readme configures it, headless and isolated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from .. import cache
from ..processes import Den
from ..rpc import Answer, Launch
from .base import Chromium, Field, McpSession, measure_start_up, read_tool_list, search_handle


class PlaywrightMcp:
    name = "playwright-mcp"
    version = cache.PLAYWRIGHT_MCP[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    def start(self, den: Den) -> PlaywrightMcpSession:
        return PlaywrightMcpSession(self._launch(den))

    def start_up_ms(self, den: Den, *, as_user: bool) -> float:
        return measure_start_up(self._launch(den, as_user=as_user))

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(den))}

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[PlaywrightMcpSession]:
        sessions: list[PlaywrightMcpSession] = []
        for url in urls:
            sessions.append(self.start(den))
            sessions[-1].navigate(url)
        return sessions

    def stop(self, den: Den) -> None:
        """Each server ends with its client."""

    def _launch(self, den: Den, *, as_user: bool = False) -> Launch:
        config = den.folder / "playwright-mcp.json"
        options = {"executablePath": str(self._chromium.executable), "args": self._chromium.args, "headless": True}
        browser = {"browserName": "chromium", "isolated": True, "launchOptions": options}
        config.write_text(json.dumps({"browser": browser, "outputDir": str(den.folder / "out")}), encoding="utf-8")
        node = cache.node_folder()
        script = cache.PEERS / "node_modules" / "@playwright" / "mcp" / "cli.js"
        command = [str(node / "npx"), "@playwright/mcp"] if as_user else [str(node / "node"), str(script)]
        return Launch(argv=[*command, "--config", str(config)], environ=den.environ(), folder=cache.PEERS)


class PlaywrightMcpSession(McpSession):
    def navigate(self, url: str) -> Answer:
        return self.call("browser_navigate", url=url)

    def snapshot(self) -> Answer:
        return self.call("browser_snapshot")

    def controls(self) -> None:
        return None

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        return search_handle(rf'- {role} "{re.escape(name)}".*?\[ref=(\w+)\]', snapshot, f"{role} {name}")

    def click(self, handle: str) -> Answer:
        return self.call("browser_click", target=handle)

    def click_and_see(self, handle: str) -> Answer:
        """The answer to a click links to a file with the snapshot, which a model cannot read."""
        return self.click(handle) + self.snapshot()

    def click_and_see_changes(self, handle: str) -> None:
        return None

    def type(self, handle: str, text: str) -> Answer:
        return self.call("browser_type", target=handle, text=text)

    def type_and_see(self, handle: str, text: str) -> Answer:
        return self.type(handle, text) + self.snapshot()

    def fill(self, fields: Sequence[Field]) -> Answer:
        rows = [{"target": f.handle, "name": f.name, "type": "textbox", "value": f.value} for f in fields]
        return self.call("browser_fill_form", fields=rows)

    def evaluate(self, expression: str) -> Answer:
        return self.call("browser_evaluate", function=f"() => ({expression})")

    def wait_for_text(self, text: str) -> Answer:
        return self.call("browser_wait_for", text=text)
