"""Chrome DevTools MCP, headless and isolated, with telemetry off."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bench import cache
from bench.rpc import CallFailed, Launch, TimedResult
from bench.workspace import Workspace

from .base import Chromium, Field, McpSession, measure_start_up, read_tool_list, search_ref


class ChromeDevtoolsMcp:
    name = "chrome-devtools-mcp"
    version = cache.CHROME_DEVTOOLS_MCP[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    def start(self, workspace: Workspace) -> ChromeDevtoolsSession:
        return ChromeDevtoolsSession(self._launch(workspace))

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> float:
        return measure_start_up(self._launch(workspace, as_user=as_user))

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(workspace))}

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[ChromeDevtoolsSession]:
        """Opens one server and one browser, with a separate context for each page."""
        session = self.start(workspace)
        for number, url in enumerate(urls):
            session.call("new_page", url=url, isolatedContext=f"bench-{number}")
        return [session]

    def stop(self, workspace: Workspace) -> None:
        """Does nothing: the server exits with its client."""

    def _launch(self, workspace: Workspace, *, as_user: bool = False) -> Launch:
        node = cache.node_folder()
        package = cache.PEERS / "node_modules" / "chrome-devtools-mcp"
        script = package / "build" / "src" / "bin" / "chrome-devtools-mcp.js"
        command = [str(node / "npx"), "chrome-devtools-mcp"] if as_user else [str(node / "node"), str(script)]
        options = ["--headless", "--isolated", "--no-usage-statistics", "--no-performance-crux"]
        options += ["--viewport", "1280x720", "--executablePath", str(self._chromium.executable)]
        options += [f"--chromeArg={argument}" for argument in self._chromium.args]
        return Launch(argv=[*command, *options], environ=workspace.environ(), folder=cache.PEERS)


class ChromeDevtoolsSession(McpSession):
    """Its tools take a page number; page 1 is the one that the browser starts with."""

    _page = 1

    def navigate(self, url: str) -> TimedResult:
        result = self.call("navigate_page", pageId=self._page, type="url", url=url)
        # A failed navigation is not an error result.
        if "Successfully navigated" not in result.text:
            raise CallFailed(f"navigate_page: {result.text[:300]}")
        return result

    def snapshot(self) -> TimedResult:
        return self.call("take_snapshot", pageId=self._page)

    def controls(self) -> None:
        return None

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        return search_ref(rf'uid=(\w+) {role} "{re.escape(name)}"', snapshot, f"{role} {name}")

    def click(self, ref: str) -> TimedResult:
        return self.call("click", pageId=self._page, uid=ref)

    def click_and_snapshot(self, ref: str) -> TimedResult:
        return self.call("click", pageId=self._page, uid=ref, includeSnapshot=True)

    def click_and_diff(self, ref: str) -> None:
        return None

    def type(self, ref: str, text: str) -> TimedResult:
        return self.call("fill", pageId=self._page, uid=ref, value=text)

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        return self.call("fill", pageId=self._page, uid=ref, value=text, includeSnapshot=True)

    def fill(self, fields: Sequence[Field]) -> TimedResult:
        elements = [{"uid": field.ref, "value": field.value} for field in fields]
        return self.call("fill_form", pageId=self._page, elements=elements)

    def evaluate(self, expression: str) -> TimedResult:
        """Evaluates without the wait for a stable DOM, as its description advises for scripts that only read."""
        function = f"() => ({expression})"
        return self.call("evaluate_script", pageId=self._page, function=function, waitForStableDom=False)

    def wait_for_text(self, text: str) -> TimedResult:
        return self.call("wait_for", pageId=self._page, text=[text])
