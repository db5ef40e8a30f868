"""Measures how pages that flood their browser slow the calls of another client: ``python -m bench.floods [NAME …]``.

Target: the p95 of a snapshot and of a click is at most 1.5 times what it is next to a quiet page. Both are measured in
turns in the same run (quiet, flood, quiet), because the load of the machine changes over time. The flood is measured
from the moment at which its page is requested. The last columns are the memory of the hub and of Playwright's driver.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from browser_pilot.cli.hub_control import find_hub

from .http_session import HttpSession
from .rpc import CallFailed
from .server import Site

WINDOW_SECONDS = 20.0
WARM_UP = 20
MAX_RATIO = 1.5
PAGES = "floods"
HEADER = f"""{"p95 in ms":<16} {"snapshot":>8} {"flood":>6} {"ratio":>6}  {"click":>8} {"flood":>6} {"ratio":>6} \
{"calls":>6} {"failed":>7} {"hub MB":>7} {"driver":>7}"""
QUIET = "<title>Quiet</title><h1>Quiet</h1><button onclick='this.textContent = 1 + Number(this.textContent)'>1</button>"
FLOODS = {
    "console lines": "setInterval(() => { for (let i = 0; i < 2000; i++) console.log('x'.repeat(2000) + i) }, 10)",
    "console objects": """setInterval(() => { for (let i = 0; i < 500; i++)
      console.log({ a: { b: [1, 2, { c: i }] }, d: document.body }, [i, i], window) }, 10)""",
    "page errors": """setInterval(() => { for (let i = 0; i < 300; i++)
      setTimeout(() => { throw new Error('x'.repeat(500) + i) }) }, 10)""",
    "history entries": """let n = 0; setInterval(() => { for (let i = 0; i < 200; i++)
      history.pushState({}, '', '?' + n++) }, 10)""",
    "hash changes": "let n = 0; setInterval(() => { for (let i = 0; i < 200; i++) location.hash = n++ }, 10)",
    "reloads": "setInterval(() => location.reload()); onbeforeunload = () => location.reload()",
    "requests": "setInterval(() => { for (let i = 0; i < 200; i++) fetch('/x?' + Math.random()).catch(() => 0) }, 10)",
    "popups": "setInterval(() => { for (let i = 0; i < 5; i++) open('about:blank') }, 50)",
    "dialogs": "setInterval(() => alert('Hi'))",
    "downloads": """setInterval(() => { for (let i = 0; i < 5; i++) { const a = document.createElement('a');
      a.href = URL.createObjectURL(new Blob(['x'])); a.download = `f${i}.txt`; a.click() } }, 50)""",
    "DOM growth": """setInterval(() => { const d = document.createElement('div'); d.innerHTML = '<p>x</p>'.repeat(3000);
      document.body.append(d); document.body.offsetHeight }, 5)""",
    "workers": """const flood = 'for (let i = 0; i < 1000; i++) { postMessage(i); console.log(i) }';
      const source = `setInterval(() => { ${flood} }, 1)`;
      for (let i = 0; i < 20; i++) new Worker(URL.createObjectURL(new Blob([source])))""",
}


@dataclass
class Times:
    """Durations in milliseconds, and the calls that failed."""

    snapshots: list[float] = field(default_factory=list[float])
    clicks: list[float] = field(default_factory=list[float])
    failures: int = 0

    def add(self, session: HttpSession, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for durations, tool, arguments in (
                (self.snapshots, "browser_snapshot", {}),
                (self.clicks, "browser_click", {"element": "button"}),
            ):
                began = time.perf_counter()
                try:
                    session.call(tool, **arguments)
                except CallFailed:
                    self.failures += 1
                durations.append((time.perf_counter() - began) * 1000)


def p95(durations: Sequence[float]) -> float:
    ordered = sorted(durations)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


@contextmanager
def running_hub(home: Path) -> Generator[subprocess.Popen[bytes]]:
    limits = {f"BROWSER_PILOT_POLICY__{name}": "1000000" for name in ("RATE_PER_MINUTE", "STEP_BUDGET")}
    serving = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve"],
        env={**os.environ, **limits, "BROWSER_PILOT_HOME": str(home), "BROWSER_PILOT_PORT": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while find_hub(home) is None:
            if time.monotonic() > until:
                raise RuntimeError("the hub did not start")
            time.sleep(0.2)
        yield serving
    finally:
        serving.terminate()
        serving.wait(30)


def memory_mb(hub: int) -> tuple[int, int]:
    own = psutil.Process(hub)
    drivers = [child for child in own.children() if "run-driver" in child.cmdline()]
    return own.memory_info().rss >> 20, sum(child.memory_info().rss for child in drivers) >> 20


def measure(home: Path, hub: int, other: HttpSession, flood_url: str, name: str) -> bool:
    quiet, flood = Times(), Times()
    quiet.add(other, WINDOW_SECONDS / 2)
    offender = HttpSession(home)

    def begin() -> None:
        # A page that never comes to rest may time out.
        with suppress(CallFailed, httpx.HTTPError):
            offender.navigate(flood_url)

    opening = threading.Thread(target=begin, daemon=True)
    opening.start()
    flood.add(other, WINDOW_SECONDS)
    hub_mb, driver_mb = memory_mb(hub)
    opening.join(60)
    with suppress(CallFailed, httpx.HTTPError):
        offender.close()
    quiet.add(other, WINDOW_SECONDS / 2)
    snapshots = (p95(quiet.snapshots), p95(flood.snapshots))
    clicks = (p95(quiet.clicks), p95(flood.clicks))
    worst = max(snapshots[1] / snapshots[0], clicks[1] / clicks[0])
    met = worst <= MAX_RATIO and not flood.failures
    times = [f"{quiet:8.0f} {during:6.0f} {during / quiet:6.2f}" for quiet, during in (snapshots, clicks)]
    counts = f"{len(flood.clicks):6d} {flood.failures:7d} {hub_mb:7d} {driver_mb:7d}"
    print(f"{name:<16} {times[0]}  {times[1]} {counts}   {'met' if met else 'MISSED'}", flush=True)
    return met


def main(names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, files = Path(folder) / "home", Path(folder) / "pages"
        files.mkdir()
        (files / "quiet.html").write_text(QUIET)
        for number, script in enumerate(FLOODS.values()):
            (files / f"{number}.html").write_text(f"<title>Flood</title><body><p>Flood</p><script>{script}</script>")
        site = Site.start({PAGES: files})
        try:
            with running_hub(home) as hub:
                other = HttpSession(home)
                other.navigate(site.url(PAGES, "quiet.html"))
                for _ in range(WARM_UP):
                    other.call("browser_snapshot")
                    other.call("browser_click", element="button")
                print(HEADER)
                results = [
                    measure(home, hub.pid, other, site.url(PAGES, f"{number}.html"), name)
                    for number, name in enumerate(FLOODS)
                    if not names or name in names
                ]
                print(f"{sum(results)} of {len(results)} within {MAX_RATIO} times")
                other.close()
        finally:
            site.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
