"""Raw CDP: how fast it could be, with nothing between the harness and Chromium.

It keeps the checks without which it would be too fast to be right: a hit test at the point, a second one after
hovering, a position that stands still after scrolling, and after the click "frames until one brings no change of the
DOM, at most ten". Its snapshot is a plain walk of the page, a limit for time and not for tokens.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from ..processes import Den
from ..rpc import Answer, CallFailed, JsonObject
from .base import Chromium, Field, add_up, search_handle, timed
from .cdp_pipe import CdpPipe

_HELPERS = (Path(__file__).parent / "raw_page.js").read_text(encoding="utf-8")
_INSTALL = f"globalThis.benchPage ??= {_HELPERS.partition(chr(10))[2]}"


class RawCdp:
    name = "raw CDP"

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self.version = chromium.version
        self._numbers = itertools.count()

    def start(self, den: Den) -> RawSession:
        return RawSession(self._browser(den), owns_browser=True)

    def start_up_ms(self, den: Den, *, as_user: bool) -> None:
        return None

    def tool_lists(self, den: Den) -> Mapping[str, str]:
        return {}

    def open_many(self, den: Den, urls: Sequence[str]) -> Sequence[RawSession]:
        """One browser with a context for each."""
        browser = self._browser(den)
        sessions = [RawSession(browser, owns_browser=number == 0) for number in range(len(urls))]
        for session, url in zip(sessions, urls, strict=True):
            session.navigate(url)
        return sessions[:1]

    def stop(self, den: Den) -> None:
        """The browser ends with its session."""

    def _browser(self, den: Den) -> CdpPipe:
        folder = den.folder / f"raw-{next(self._numbers)}"
        return CdpPipe(str(self._chromium.executable), self._chromium.args, folder, den)


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

    def navigate(self, url: str) -> Answer:
        began = time.perf_counter()
        self._browser.forget_events()
        failure = self._call("Page.navigate", {"url": url}).get("errorText")
        if failure:
            raise CallFailed(f"navigate: {failure}")
        self._browser.wait_for_event("Page.loadEventFired", self._session)
        return timed(began, "")

    def snapshot(self) -> Answer:
        began = time.perf_counter()
        return timed(began, cast(str, self._run("benchPage.snapshot()")))

    def controls(self) -> None:
        return None

    def handle_of(self, snapshot: str, role: str, name: str) -> str:
        return search_handle(rf'\[(\w+)\] {role} "{re.escape(name)}"', snapshot, f"{role} {name}")

    def click(self, handle: str) -> Answer:
        began = time.perf_counter()
        ref = json.dumps(handle)
        point = cast(dict[str, float], self._run(f"benchPage.aim({ref})"))
        where: JsonObject = {"x": point["x"], "y": point["y"]}
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", **where})
        if not self._run(f"benchPage.confirm({ref}, {point['x']}, {point['y']})"):
            raise CallFailed(f"{handle} was covered after hovering")
        button: JsonObject = {**where, "button": "left", "clickCount": 1}
        pressed = self._send("Input.dispatchMouseEvent", {"type": "mousePressed", **button})
        released = self._send("Input.dispatchMouseEvent", {"type": "mouseReleased", **button})
        self._browser.receive(pressed)
        self._browser.receive(released)
        self._run("benchPage.settle()")
        return timed(began, "")

    def click_and_see(self, handle: str) -> Answer:
        return self.click(handle) + self.snapshot()

    def click_and_see_changes(self, handle: str) -> None:
        return None

    def type(self, handle: str, text: str) -> Answer:
        began = time.perf_counter()
        ref = json.dumps(handle)
        if not self._run(f"benchPage.focus({ref})"):
            raise CallFailed(f"{handle} did not take the focus")
        self._call("Input.insertText", {"text": text})
        if self._run(f"benchPage.valueOf({ref})") != text:
            raise CallFailed(f"{handle} did not take the text")
        return timed(began, "")

    def type_and_see(self, handle: str, text: str) -> Answer:
        began = time.perf_counter()
        self._run("benchPage.watch()")
        self.type(handle, text)
        self._run("benchPage.settle()")
        return timed(began, self.snapshot().text)

    def fill(self, fields: Sequence[Field]) -> Answer:
        return add_up([self.type(field.handle, field.value) for field in fields])

    def evaluate(self, expression: str) -> Answer:
        began = time.perf_counter()
        return timed(began, json.dumps(self._run(expression)))

    def wait_for_text(self, text: str) -> Answer:
        began = time.perf_counter()
        self._run(f"benchPage.text({json.dumps(text)})")
        return timed(began, "")

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
