"""Chrome DevTools MCP, headless and isolated, without its reports home."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .. import cache
from ..processes import Den
from ..rpc import Answer, CallFailed, Launch
from .base import Chromium, Field, McpSession, measure_start_up, read_tool_list, search_handle


class ChromeDevtoolsMcp:
    name = "chrome-devtools-mcp"
    version = cache.CHROME_DEVTOOLS_MCP[1]

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    def start(self, den: Den) -> ChromeDevtoolsSession:
        return ChromeDevtoolsSession(self._launch(den))

    def start_up_ms(self, den: Den, *, as_user: bool) -> float:
        return measure_start_up(self._launch(den, as_user=as_user))

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        return {"default": read_tool_list(self._launch(den))}

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[ChromeDevtoolsSession]:
        """One server, one browser, and a context of its own for each page."""
        session = self.start(den)
        for number, url in enumerate(urls):
            session.call("new_page", url=url, isolatedContext=f"bench-{number}")
        return [session]

    def stop(self, den: Den) -> None:
        """The server ends with its client."""

    def _launch(self, den: Den, *, as_user: bool = False) -> Launch:
        node = cache.node_folder()
        package = cache.PEERS / "node_modules" / "chrome-devtools-mcp"
        script = package / "build" / "src" / "bin" / "chrome-devtools-mcp.js"
        command = [str(node / "npx"), "chrome-devtools-mcp"] if as_user else [str(node / "node"), str(script)]
        options = ["--headless", "--isolated", "--no-usage-statistics", "--no-performance-crux"]
        options += ["--viewport", "1280x720", "--executablePath", str(self._chromium.executable)]
        options += [f"--chromeArg={argument}" for argument in self._chromium.args]
        return Launch(argv=[*command, *options], environ=den.environ(), folder=cache.PEERS)


class ChromeDevtoolsSession(McpSession):
    """Its tools want the number of the page; the first page is the one that the browser opens with."""

    _page = 1

    def navigate(self, url: str) -> Answer:
        answer = self.call("navigate_page", pageId=self._page, type="url", url=url)
        # It reports a failed navigation as a success.
        if "Successfully navigated" not in answer.text:
            raise CallFailed(f"navigate_page: {answer.text[:300]}")
        return answer

    def snapshot(self) -> Answer:
        return self.call("take_snapshot", pageId=self._page)

    def controls(self) -> None:
        return None

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        return search_handle(rf'uid=(\w+) {role} "{re.escape(name)}"', snapshot, f"{role} {name}")

    def click(self, handle: str) -> Answer:
        return self.call("click", pageId=self._page, uid=handle)

    def click_and_see(self, handle: str) -> Answer:
        return self.call("click", pageId=self._page, uid=handle, includeSnapshot=True)

    def click_and_see_changes(self, handle: str) -> None:
        return None

    def type(self, handle: str, text: str) -> Answer:
        return self.call("fill", pageId=self._page, uid=handle, value=text)

    def type_and_see(self, handle: str, text: str) -> Answer:
        return self.call("fill", pageId=self._page, uid=handle, value=text, includeSnapshot=True)

    def fill(self, fields: Sequence[Field]) -> Answer:
        elements = [{"uid": field.handle, "value": field.value} for field in fields]
        return self.call("fill_form", pageId=self._page, elements=elements)

    def evaluate(self, expression: str) -> Answer:
        """Without its wait for a quiet DOM, as its description advises for scripts that only read."""
        function = f"() => ({expression})"
        return self.call("evaluate_script", pageId=self._page, function=function, waitForStableDom=False)

    def wait_for_text(self, text: str) -> Answer:
        return self.call("wait_for", pageId=self._page, text=[text])
