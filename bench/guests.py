"""What guests cost, and what hostile ones do to the hub's other calls: ``python -m bench.guests``.

To reach: start under 150 ms once the engine is compiled, a call under 3 ms, a host request's own cost under 2 ms, and
the hub's other calls slowed by less than a fifth while hostile guests run. Every guest runs in the real sandbox.
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

from browser_pilot.cli.hub import RunningHub, ask, find_hub
from browser_pilot.cli.tool_call import call_tool
from browser_pilot.config import GuestSettings
from browser_pilot.guests.context import CallContext
from browser_pilot.guests.house import GuestHouse
from browser_pilot.guests.manifest import GuestTool, parse_manifest
from browser_pilot.guests.packages import Package
from browser_pilot.guests.store import GuestStore, Installed

from . import pages
from .http_session import HttpSession
from .server import Site

ROUNDS, STARTS, WARM_UP = 300, 15, 20
PAUSE_SECONDS = 1.0
# A guest may take this long for a call. Others' calls are timed beside it for three times that in all, or as many times
# as a guest that ends sooner is called, and alone in turns with it.
WINDOW_SECONDS, WINDOWS, MOST_WINDOWS = 4, 3, 30
LOOP = """(async () => { for (;;) { const r = JSON.parse(await MCP.readLine()); if (r.method === "tools/call") {
  const text = String(await act(r.params.arguments));
  const result = { content: [{ type: "text", text }] };
  MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: r.id, result })); } } })()"""
ECHO = f"const act = async (a) => a.host ? (await MCP.requestHost('nothing')).ok : a.n; {LOOP}"
HOSTILE = {
    "an endless loop": "for (;;) {}",
    "a memory bomb": "const all = []; for (;;) all.push(new Uint8Array(1e6))",
    "an output flood": "for (;;) MCP.writeLine('{}')",
    "a host call flood": "for (;;) await MCP.requestHost('nothing').catch(() => 0)",
    "a regular expression bomb": "/^(a+)+$/.test('a'.repeat(60) + '!')",
}
TOOL = GuestTool("do", "Does it.", {"type": "object"})


class AnswersAtOnce:
    async def serve(
        self, guest: Installed, context: CallContext | None, method: str, params: Mapping[str, Any]
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
    house = GuestHouse(
        home, settings=GuestSettings, host=AnswersAtOnce(), secret_of=lambda _guest, _name: None, redact=str
    )
    guest = house.store.put(package("echo", ECHO), (TOOL,), source="")
    await house.refresh()
    await house.prepare(guest)
    starts: list[float] = []
    await (await house.start(guest)).end()
    for _ in range(STARTS):
        # As between two starts in real life, the process that is kept ready has the time to get there.
        await asyncio.sleep(PAUSE_SECONDS)
        began = time.perf_counter()
        running = await house.start(guest)
        await running.request("tools/call", {"name": "do", "arguments": {"n": 1}}, seconds=30)
        starts.append((time.perf_counter() - began) * 1000)
        await running.end()
    context = CallContext(origin="bench", client="bench", client_name="bench", tool="echo__do")

    async def call(**arguments: object) -> float:
        began = time.perf_counter()
        await house.call("echo", TOOL, arguments, context)
        return (time.perf_counter() - began) * 1000

    await call(n=0)
    plain = [await call(n=n) for n in range(ROUNDS)]
    hosted = [await call(host=True) for _ in range(ROUNDS)]
    await house.close()
    report("start to first answer, warm", statistics.median(starts), min(starts), 150)
    report("call", statistics.median(plain), min(plain), 3)
    own = statistics.median(hosted) - statistics.median(plain)
    report("host request's own cost", own, min(hosted) - min(plain), 2)


def report(what: str, ms: float, best_ms: float, limit_ms: float) -> None:
    """The median counts; the best tells what a busy machine added."""
    verdict = "met" if ms <= limit_ms else "MISSED"
    print(f"{what:<40} {ms:8.2f} ms   (best {best_ms:.2f})   at most {limit_ms:g}: {verdict}")


@contextmanager
def hub_with_guests(home: Path) -> Generator[RunningHub]:
    store = GuestStore(home)
    store.put(package("echo", ECHO), (TOOL,), source="")
    for number, body in enumerate(HOSTILE.values()):
        store.put(package(f"hostile-{number}", f"const act = async () => {{ {body} }}; {LOOP}"), (TOOL,), source="")
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
    """How long others' calls take, alone and while each kind of hostile guest is at work, again and again if need be.

    Alone is measured in turns with it: the machine itself is not the same from one minute to the next.
    """
    for call in calls.values():
        for _ in range(WARM_UP):
            call()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as caller:
        for (number, what), (name, call) in itertools.product(enumerate(HOSTILE), calls.items()):
            _measure_neighbour(name, call, what, lambda n=number: caller.submit(call_hostile, hub, n))


def _measure_neighbour(name: str, call: Call, what: str, begin: Callable[[], Future[object]]) -> None:
    alone: list[float] = []
    beside: list[float] = []
    windows, lasted = 0, 0.0
    while windows < MOST_WINDOWS and lasted < WINDOWS * WINDOW_SECONDS:
        alone += _for_a_while(call, lasted / windows if windows else WINDOW_SECONDS)
        began = time.monotonic()
        beside += _while(begin(), call)
        lasted += time.monotonic() - began
        windows += 1
    slowed = _typical(beside) / _typical(alone)
    verdict = "met" if slowed <= 1.2 else "MISSED"
    print(
        f"{f'{name} beside {what}':<52} {slowed:5.2f} times   at most 1.2: {verdict}   "
        f"({_typical(alone):.2f} ms alone, {len(beside)} calls beside, in {windows} times)",
        flush=True,
    )


def call_hostile(hub: RunningHub, number: int) -> object:
    """In a process of its own, as other clients are: in a thread of this one it would hold up who times the calls."""
    return call_tool(hub, f"hostile-{number}__do", {}, {"client": "hostile"})


def _typical(durations: list[float]) -> float:
    """The mean of the middle four fifths; a click takes two frames or three, between which a median would jump."""
    tenth = len(durations) // 10
    return statistics.fmean(sorted(durations)[tenth : len(durations) - tenth])


def _timed(call: Call) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def _for_a_while(call: Call, seconds: float) -> Iterator[float]:
    """As between two starts in real life, the process that is kept ready has the time to get there."""
    until = time.monotonic() + max(seconds, PAUSE_SECONDS)
    while time.monotonic() < until:
        yield _timed(call)


def _while(hostile: Future[object], call: Call) -> Iterator[float]:
    """Durations of calls while the hostile one is under way."""
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
                    "a look": lambda: session.call("browser_snapshot"),
                    "asking the hub": lambda: ask(hub.info, "GET", "/api/clients"),
                }
                measure_neighbours(hub, calls)
                session.close()
        finally:
            site.stop()


if __name__ == "__main__":
    main()
