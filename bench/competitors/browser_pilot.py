"""Browser Pilot itself, through its stdio adapter, each den with a home and so a hub of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from browser_pilot import __version__
from browser_pilot.config import Settings

from ..http_session import HttpSession
from ..processes import Den
from ..rpc import Answer, CallFailed, Launch
from .base import Chromium, Closable, Field, McpSession, measure_start_up, read_tool_list

_STOP_SECONDS = 20
# A benchmark makes more calls in a minute than an agent may; measured is the work, not the limit.
_LIMITS = {"rate_per_minute": "1000000", "step_budget": "1000000"}
_WHOLE_PAGE_TOKENS = 200_000


class BrowserPilot:
    name = "browser-pilot"
    version = __version__

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    def start(self, den: Den) -> BrowserPilotSession:
        """With all tools: evaluating is not in the standard profile."""
        return BrowserPilotSession(self._launch(den, "--tools", "full"))

    def start_up_ms(self, den: Den, *, as_user: bool) -> float | None:
        return measure_start_up(self._launch(den)) if as_user else None

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        minimal = read_tool_list(self._launch(den, "--tools", "minimal"))
        return {"default": read_tool_list(self._launch(den)), "minimal": minimal}

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[Closable]:
        """One client over stdio, as an agent has, and the others over HTTP, where a client needs no process."""
        first = self.start(den)
        first.navigate(urls[0])
        others = [HttpSession(den.folder / "home") for _ in urls[1:]]
        for session, url in zip(others, urls[1:], strict=True):
            session.navigate(url)
        return [first, *others]

    def stop(self, den: Den) -> None:
        command = [_command(), "stop"]
        subprocess.run(command, env=self._environ(den), capture_output=True, timeout=_STOP_SECONDS, check=False)

    def _environ(self, den: Den) -> dict[str, str]:
        policy = Settings.model_fields["policy"].default
        limits = {f"BROWSER_PILOT_POLICY__{key.upper()}": n for key, n in _LIMITS.items() if hasattr(policy, key)}
        return den.environ(
            BROWSER_PILOT_HOME=str(den.folder / "home"),
            BROWSER_PILOT_PORT="0",
            BROWSER_PILOT_BROWSER__EXECUTABLE=json.dumps(str(self._chromium.executable)),
            BROWSER_PILOT_BROWSER__ARGS=json.dumps(self._chromium.args),
            **limits,
        )

    def _launch(self, den: Den, *options: str) -> Launch:
        return Launch(argv=[_command(), *options], environ=self._environ(den), folder=den.folder)


def _command() -> str:
    return str(Path(sys.executable).parent / "browser-pilot")


class BrowserPilotSession(McpSession):
    def navigate(self, url: str) -> Answer:
        return self.call("browser_navigate", url=url)

    def snapshot(self) -> Answer:
        """The whole page, however large; where the ceiling still cuts it, all its parts."""
        whole = part = self.call("browser_snapshot", max_tokens=_WHOLE_PAGE_TOKENS)
        while cursor := re.search(r"^cursor: \"?([^\"\n]+)", part.text, re.MULTILINE):
            part = self.call("browser_snapshot", max_tokens=_WHOLE_PAGE_TOKENS, cursor=cursor.group(1))
            whole += part
        return whole

    def controls(self) -> Answer:
        return self.call("browser_snapshot", detail="interactive", max_tokens=_WHOLE_PAGE_TOKENS)

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        for line in snapshot.splitlines():
            match = re.match(rf'\s*(\w+),{role},("(?:[^"\\]|\\.)*"|[^,]*)', line)
            if match and match.group(2).strip('"') == name:
                return match.group(1)
        raise CallFailed(f"The snapshot shows no {role} {name}")

    def click(self, handle: str) -> Answer:
        return self.call("browser_click", element=handle)

    def click_and_see(self, handle: str) -> Answer:
        """The answer to a click says what it changed."""
        return self.click(handle)

    def click_and_see_changes(self, handle: str) -> None:
        return None

    def type(self, handle: str, text: str) -> Answer:
        return self.call("browser_type", element=handle, text=text)

    def type_and_see(self, handle: str, text: str) -> Answer:
        return self.type(handle, text)

    def fill(self, fields: Sequence[Field]) -> Answer:
        return self.call("browser_fill_form", fields=[{"element": f.handle, "value": f.value} for f in fields])

    def evaluate(self, expression: str) -> Answer:
        return self.call("browser_evaluate", expression=expression)

    def wait_for_text(self, text: str) -> Answer:
        return self.call("browser_wait_for", text=text)
