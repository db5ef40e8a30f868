"""Measures guests, and how hostile guests slow other calls of the hub: ``python -m bench.guests``.

Targets: start below 150 ms with a compiled engine, a call below 3 ms, a host request below 2 ms on top, and other calls
at most 1.2 times as slow while a hostile guest runs. Every guest runs in the real sandbox.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from browser_pilot.cli.hub_control import RunningHub, find_hub, send_request
from browser_pilot.cli.tool_call import call_tool
from browser_pilot.config.settings import GuestSettings
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.installed.guest_store import GuestStore, InstalledGuest
from browser_pilot.guests.installed.manifest import GuestTool, parse_manifest
from browser_pilot.guests.installed.packages import Package
from browser_pilot.guests.manager import GuestManager

from . import pages
from .http_session import HttpSession
from .server import Site

ROUNDS, STARTS, WARM_UP = 300, 15, 20
PAUSE_SECONDS = 1.0
# WINDOW_SECONDS is the timeout of a guest call. Other calls are timed during hostile calls for WINDOWS times that
# in all (at most MAX_WINDOWS hostile calls), in turns with the same calls alone.
WINDOW_SECONDS, WINDOWS, MAX_WINDOWS = 4, 3, 30
LOOP = """(async () => { for (;;) { const r = JSON.parse(await MCP.readLine()); if (r.method === "tools/call") {
  const text = String(await run(r.params.arguments));
  const result = { content: [{ type: "text", text }] };
  MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: r.id, result })); } } })()"""
ECHO = f"const run = async (a) => a.host ? (await MCP.requestHost('nothing')).ok : a.n; {LOOP}"
HOSTILE = {
    "an endless loop": "for (;;) {}",
    "a memory bomb": "const all = []; for (;;) all.push(new Uint8Array(1e6))",
    "an output flood": "for (;;) MCP.writeLine('{}')",
    "a host call flood": "for (;;) await MCP.requestHost('nothing').catch(() => 0)",
    "a regular expression bomb": "/^(a+)+$/.test('a'.repeat(60) + '!')",
}
TOOL = GuestTool("do", "Does it.", {"type": "object"})


class ImmediateHost:
    async def handle(
        self, guest: InstalledGuest, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        return {"ok": True}


def package(name: str, script: str) -> Package:
    manifest = {
        "manifestVersion": "1.0.0",
        "name": name,
        "runtime": "js",
        "scriptBase64": base64.b64encode(script.encode()).decode(),
    }
    data = json.dumps(manifest).encode()
    return Package(parse_manifest(data), data, script.encode())


async def measure_guest(home: Path) -> None:
    manager = GuestManager(
        home, settings=GuestSettings, host=ImmediateHost(), secret_of=lambda _guest, _name: None, redact=str
    )
    guest = manager.store.install(package("echo", ECHO), (TOOL,), source="")
    await manager.refresh()
    await manager.compile(guest)
    starts: list[float] = []
    await (await manager.start(guest)).stop()
    for _ in range(STARTS):
        # Gives the warm process time to start, as between two real starts.
        await asyncio.sleep(PAUSE_SECONDS)
        began = time.perf_counter()
        running = await manager.start(guest)
        await running.request("tools/call", {"name": "do", "arguments": {"n": 1}}, timeout_seconds=30)
        starts.append((time.perf_counter() - began) * 1000)
        await running.stop()
    context = CallContext(origin="bench", client="bench", client_name="bench", tool="echo__do")

    async def call(**arguments: object) -> float:
        began = time.perf_counter()
        await manager.call("echo", TOOL, arguments, context)
        return (time.perf_counter() - began) * 1000

    await call(n=0)
    plain = [await call(n=n) for n in range(ROUNDS)]
    hosted = [await call(host=True) for _ in range(ROUNDS)]
    await manager.close()
    report("start to first response, warm", statistics.median(starts), min(starts), 150)
    report("call", statistics.median(plain), min(plain), 3)
    own = statistics.median(hosted) - statistics.median(plain)
    report("host request's own cost", own, min(hosted) - min(plain), 2)


def report(what: str, ms: float, best_ms: float, limit_ms: float) -> None:
    """Compares the median with the target; the best value shows the effect of other load."""
    verdict = "met" if ms <= limit_ms else "MISSED"
    print(f"{what:<40} {ms:8.2f} ms   (best {best_ms:.2f})   at most {limit_ms:g}: {verdict}")


@contextmanager
def hub_with_guests(home: Path) -> Generator[RunningHub]:
    store = GuestStore(home)
    store.install(package("echo", ECHO), (TOOL,), source="")
    for number, body in enumerate(HOSTILE.values()):
        store.install(package(f"hostile-{number}", f"const run = async () => {{ {body} }}; {LOOP}"), (TOOL,), source="")
    limits = {f"BROWSER_PILOT_POLICY__{name}": "1000000" for name in ("RATE_PER_MINUTE", "STEP_BUDGET")}
    limits["BROWSER_PILOT_GUESTS__CALL_SECONDS"] = str(WINDOW_SECONDS)
    environment = {**os.environ, **limits, "BROWSER_PILOT_HOME": str(home), "BROWSER_PILOT_PORT": "0"}
    serving = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "serve"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while (hub := find_hub(home)) is None and time.monotonic() < until:
            time.sleep(0.2)
        if hub is None:
            raise RuntimeError("the hub did not start")
        yield hub
    finally:
        serving.terminate()
        serving.wait(30)


Call = Callable[[], object]


def measure_neighbours(hub: RunningHub, calls: Mapping[str, Call]) -> None:
    """Times other calls alone and during each kind of hostile call.

    Both are measured in turns, because the load of the machine changes over time.
    """
    for call in calls.values():
        for _ in range(WARM_UP):
            call()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as caller:
        for (number, what), (name, call) in itertools.product(enumerate(HOSTILE), calls.items()):
            _measure_neighbour(name, call, what, lambda n=number: caller.submit(call_hostile, hub, n))


def _measure_neighbour(name: str, call: Call, what: str, begin: Callable[[], Future[object]]) -> None:
    alone: list[float] = []
    during: list[float] = []
    windows, lasted = 0, 0.0
    while windows < MAX_WINDOWS and lasted < WINDOWS * WINDOW_SECONDS:
        alone += _time_calls(call, lasted / windows if windows else WINDOW_SECONDS)
        began = time.monotonic()
        during += _time_calls_during(begin(), call)
        lasted += time.monotonic() - began
        windows += 1
    slowed = _typical(during) / _typical(alone)
    verdict = "met" if slowed <= 1.2 else "MISSED"
    print(
        f"{f'{name} during {what}':<52} {slowed:5.2f} times   at most 1.2: {verdict}   "
        f"({_typical(alone):.2f} ms alone, {len(during)} calls during, in {windows} times)",
        flush=True,
    )


def call_hostile(hub: RunningHub, number: int) -> object:
    """Runs in a separate process: a thread would delay the timed calls."""
    return call_tool(hub, f"hostile-{number}__do", {}, {"client": "hostile"})


def _typical(durations: list[float]) -> float:
    """Returns the mean of the middle 80 %. A median would jump between clicks of two and of three frames."""
    tenth = len(durations) // 10
    return statistics.fmean(sorted(durations)[tenth : len(durations) - tenth])


def _timed(call: Call) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def _time_calls(call: Call, seconds: float) -> Iterator[float]:
    """Times calls for ``seconds``, but long enough for the warm process to start."""
    until = time.monotonic() + max(seconds, PAUSE_SECONDS)
    while time.monotonic() < until:
        yield _timed(call)


def _time_calls_during(hostile: Future[object], call: Call) -> Iterator[float]:
    """Times calls while the hostile call runs."""
    while not hostile.done():
        yield _timed(call)
    hostile.result()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        asyncio.run(measure_guest(home))
        site = Site.start({pages.OWN: pages.SITE})
        try:
            with hub_with_guests(home) as hub:
                call_tool(hub, "echo__do", {"n": 1}, {"client": "bench"})
                session = HttpSession(home)
                session.navigate(site.url(pages.OWN, "counter.html"))
                calls: dict[str, Call] = {
                    "a click": lambda: session.call("browser_click", element="button"),
                    "a snapshot": lambda: session.call("browser_snapshot"),
                    "a hub request": lambda: send_request(hub.info, "GET", "/api/clients"),
                }
                measure_neighbours(hub, calls)
                session.close()
        finally:
            site.stop()


if __name__ == "__main__":
    main()
