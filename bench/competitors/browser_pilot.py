"""Browser Pilot through its stdio adapter. Each workspace has its own home, and therefore its own hub."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.http_session import HttpSession
from bench.rpc import CallFailed, Launch, TimedResult
from bench.workspace import Workspace
from browser_pilot import __version__
from browser_pilot.config.settings import Settings

from .base import Chromium, Closable, Field, McpSession, measure_start_up, read_tool_list

_STOP_TIMEOUT_SECONDS = 20
# The benchmark exceeds the default rate limit; it measures the work, not the limit.
_LIMITS = {"rate_per_minute": "1000000", "step_budget": "1000000"}
_WHOLE_PAGE_TOKENS = 200_000


class BrowserPilot:
    """``command`` is another installation's ``browser-pilot``, to compare two versions in one run."""

    name = "browser-pilot"
    version = __version__

    def __init__(self, chromium: Chromium, *, name: str = "browser-pilot", command: Path | None = None) -> None:
        self.name = name
        self._chromium = chromium
        self._command = str(command or Path(sys.executable).parent / "browser-pilot")

    def start(self, workspace: Workspace) -> BrowserPilotSession:
        """Starts with all tools: the standard profile has no ``browser_evaluate``."""
        return BrowserPilotSession(self._launch(workspace, "--tools", "full"))

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> float | None:
        return measure_start_up(self._launch(workspace)) if as_user else None

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        minimal = read_tool_list(self._launch(workspace, "--tools", "minimal"))
        return {"default": read_tool_list(self._launch(workspace)), "minimal": minimal}

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[Closable]:
        """Opens one session over stdio and the others over HTTP, where a client needs no process."""
        first = self.start(workspace)
        first.navigate(urls[0])
        others = [HttpSession(workspace.folder / "home") for _ in urls[1:]]
        for session, url in zip(others, urls[1:], strict=True):
            session.navigate(url)
        return [first, *others]

    def stop(self, workspace: Workspace) -> None:
        command = [self._command, "stop"]
        subprocess.run(
            command, env=self._environ(workspace), capture_output=True, timeout=_STOP_TIMEOUT_SECONDS, check=False
        )

    def _environ(self, workspace: Workspace) -> dict[str, str]:
        policy = Settings.model_fields["policy"].default
        limits = {f"BROWSER_PILOT_POLICY__{key.upper()}": n for key, n in _LIMITS.items() if hasattr(policy, key)}
        return workspace.environ(
            BROWSER_PILOT_HOME=str(workspace.folder / "home"),
            BROWSER_PILOT_PORT="0",
            BROWSER_PILOT_BROWSER__EXECUTABLE=json.dumps(str(self._chromium.executable)),
            BROWSER_PILOT_BROWSER__ARGS=json.dumps(self._chromium.args),
            **limits,
        )

    def _launch(self, workspace: Workspace, *options: str) -> Launch:
        return Launch(argv=[self._command, *options], environ=self._environ(workspace), folder=workspace.folder)


class BrowserPilotSession(McpSession):
    def navigate(self, url: str) -> TimedResult:
        return self.call("browser_navigate", url=url)

    def snapshot(self) -> TimedResult:
        """Returns the whole page. Follows the cursor if the token budget still cuts it."""
        whole = part = self.call("browser_snapshot", max_tokens=_WHOLE_PAGE_TOKENS)
        while cursor := re.search(r"^cursor: \"?([^\"\n]+)", part.text, re.MULTILINE):
            part = self.call("browser_snapshot", max_tokens=_WHOLE_PAGE_TOKENS, cursor=cursor.group(1))
            whole += part
        return whole

    def controls(self) -> TimedResult:
        return self.call("browser_snapshot", detail="interactive", max_tokens=_WHOLE_PAGE_TOKENS)

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        for line in snapshot.splitlines():
            match = re.match(rf'\s*(\w+),{role},("(?:[^"\\]|\\.)*"|[^,]*)', line)
            if match and match.group(2).strip('"') == name:
                return match.group(1)
        raise CallFailed(f"The snapshot shows no {role} {name}")

    def click(self, ref: str) -> TimedResult:
        return self.call("browser_click", element=ref)

    def click_and_snapshot(self, ref: str) -> TimedResult:
        """The result of a click contains the diff."""
        return self.click(ref)

    def click_and_diff(self, ref: str) -> None:
        return None

    def type(self, ref: str, text: str) -> TimedResult:
        return self.call("browser_type", element=ref, text=text)

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        return self.type(ref, text)

    def fill(self, fields: Sequence[Field]) -> TimedResult:
        return self.call("browser_fill_form", fields=[{"element": f.ref, "value": f.value} for f in fields])

    def evaluate(self, expression: str) -> TimedResult:
        return self.call("browser_evaluate", expression=expression)

    def wait_for_text(self, text: str) -> TimedResult:
        return self.call("browser_wait_for", text=text)
