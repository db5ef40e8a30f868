"""Raw CDP: the baseline for speed, with nothing between the harness and Chromium.

It keeps the checks that a correct click needs: a hit test at the point, a second one after the hover, a stable position
after scrolling, and after the click up to ten frames until one has no DOM mutation. Its snapshot is a plain tree walk:
a baseline for time, not for tokens.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from bench.rpc import CallFailed, JsonObject, TimedResult
from bench.workspace import Workspace

from .base import Chromium, Field, search_ref, sum_results, timed_result
from .cdp_pipe import CdpPipe

_HELPERS = (Path(__file__).parent / "raw_page.js").read_text(encoding="utf-8")
_INSTALL = f"globalThis.benchPage ??= {_HELPERS.partition(chr(10))[2]}"


class RawCdp:
    name = "raw CDP"

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self.version = chromium.version
        self._numbers = itertools.count()

    def start(self, workspace: Workspace) -> RawSession:
        return RawSession(self._browser(workspace), owns_browser=True)

    def start_up_ms(self, workspace: Workspace, *, as_user: bool) -> None:
        return None

    def tool_lists(self, workspace: Workspace) -> Mapping[str, str]:
        return {}

    def open_sessions(self, workspace: Workspace, urls: Sequence[str]) -> Sequence[RawSession]:
        """Opens one browser with a context per URL."""
        browser = self._browser(workspace)
        sessions = [RawSession(browser, owns_browser=number == 0) for number in range(len(urls))]
        for session, url in zip(sessions, urls, strict=True):
            session.navigate(url)
        return sessions[:1]

    def stop(self, workspace: Workspace) -> None:
        """Does nothing: the browser closes with its session."""

    def _browser(self, workspace: Workspace) -> CdpPipe:
        folder = workspace.folder / f"raw-{next(self._numbers)}"
        return CdpPipe(str(self._chromium.executable), self._chromium.args, folder, workspace)


class RawSession:
    def __init__(self, browser: CdpPipe, *, owns_browser: bool) -> None:
        self._browser = browser
        self._owns_browser = owns_browser
        context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        attached = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = cast(str, attached["sessionId"])
        self._call("Page.enable")
        self._call("Page.addScriptToEvaluateOnNewDocument", {"source": _INSTALL})
        self._call("Emulation.setFocusEmulationEnabled", {"enabled": True})
        size: JsonObject = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", size)

    def navigate(self, url: str) -> TimedResult:
        began = time.perf_counter()
        self._browser.forget_events()
        failure = self._call("Page.navigate", {"url": url}).get("errorText")
        if failure:
            raise CallFailed(f"navigate: {failure}")
        self._browser.wait_for_event("Page.loadEventFired", self._session)
        return timed_result(began, "")

    def snapshot(self) -> TimedResult:
        began = time.perf_counter()
        return timed_result(began, cast(str, self._run("benchPage.snapshot()")))

    def controls(self) -> None:
        return None

    def find_ref(self, snapshot: str, role: str, name: str) -> str:
        return search_ref(rf'\[(\w+)\] {role} "{re.escape(name)}"', snapshot, f"{role} {name}")

    def click(self, ref: str) -> TimedResult:
        began = time.perf_counter()
        quoted = json.dumps(ref)
        point = cast(dict[str, float], self._run(f"benchPage.waitActionable({quoted})"))
        where: JsonObject = {"x": point["x"], "y": point["y"]}
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", **where})
        if not self._run(f"benchPage.hitTest({quoted}, {point['x']}, {point['y']})"):
            raise CallFailed(f"{ref} was covered after hovering")
        button: JsonObject = {**where, "button": "left", "clickCount": 1}
        pressed = self._send("Input.dispatchMouseEvent", {"type": "mousePressed", **button})
        released = self._send("Input.dispatchMouseEvent", {"type": "mouseReleased", **button})
        self._browser.receive(pressed)
        self._browser.receive(released)
        self._run("benchPage.waitIdle()")
        return timed_result(began, "")

    def click_and_snapshot(self, ref: str) -> TimedResult:
        return self.click(ref) + self.snapshot()

    def click_and_diff(self, ref: str) -> None:
        return None

    def type(self, ref: str, text: str) -> TimedResult:
        began = time.perf_counter()
        quoted = json.dumps(ref)
        if not self._run(f"benchPage.focus({quoted})"):
            raise CallFailed(f"{ref} was not focused")
        self._call("Input.insertText", {"text": text})
        if self._run(f"benchPage.valueOf({quoted})") != text:
            raise CallFailed(f"{ref} does not have the typed text")
        return timed_result(began, "")

    def type_and_snapshot(self, ref: str, text: str) -> TimedResult:
        began = time.perf_counter()
        self._run("benchPage.observeMutations()")
        self.type(ref, text)
        self._run("benchPage.waitIdle()")
        return timed_result(began, self.snapshot().text)

    def fill(self, fields: Sequence[Field]) -> TimedResult:
        return sum_results([self.type(field.ref, field.value) for field in fields])

    def evaluate(self, expression: str) -> TimedResult:
        began = time.perf_counter()
        return timed_result(began, json.dumps(self._run(expression)))

    def wait_for_text(self, text: str) -> TimedResult:
        began = time.perf_counter()
        self._run(f"benchPage.waitForText({json.dumps(text)})")
        return timed_result(began, "")

    def close(self) -> None:
        if self._owns_browser:
            self._browser.close()

    def _run(self, expression: str) -> object:
        result = self._call("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in result:
            raise CallFailed(json.dumps(result["exceptionDetails"])[:300])
        return cast(JsonObject, result["result"]).get("value")

    def _call(self, method: str, params: JsonObject | None = None) -> JsonObject:
        return self._browser.call(method, params, self._session)

    def _send(self, method: str, params: JsonObject) -> int:
        return self._browser.send(method, params, self._session)
