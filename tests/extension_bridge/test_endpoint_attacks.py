"""A thousand attempts on the hub's endpoints without a key: web pages, other extensions, local programs."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from browser_pilot.extension_bridge.protocol import EXTENSION_ORIGIN
from tests.hub_process import HubProcess, running_hub

from .fake_extension import FakeBrowser, open_code, paired

AT_ONCE = 16
PAGES = ("https://evil.example", "http://localhost:3000", "null", "http://127.0.0.1", "file://")
OTHERS = ("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "moz-extension://x", "devtools://devtools")
HELLO = {
    "type": "hello",
    "protocol": 1,
    "version": "1",
    "agent": "x",
    "instance": "i",
    "nonce": "n" * 20,
    "browser": None,
}
CALL: list[dict[str, Any]] = [
    {"id": "1", "call": "tabs.get", "args": [1]},
    {"event": "controlledTabs.changed", "args": [[]]},
]
TOOL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "browser_tabs", "arguments": {}},
}


def hellos(browser: str, chance: random.Random) -> Iterator[str | bytes]:
    """Hello messages of a client with the right origin."""
    yield from ("", "[]", "null", b"\x00\xff", "x" * 100_000, "[" * 5_000, json.dumps(CALL))
    while True:
        lie = dict(HELLO)
        lie["browser"] = chance.choice([None, browser, browser.upper(), "", "b0", "__proto__", "../../token"])
        lie["protocol"] = chance.choice([1, 1, 1, 0, 2, -1, "1", None])
        lie["nonce"] = chance.choice(["n" * 20, "", "n" * 5_000, "\n" * 20])
        if chance.random() < 0.2:
            lie[chance.choice(["key", "token", "proof"])] = "x"
        yield json.dumps(lie)


async def attempt_bridge(port: int, origin: str | None, first: str | bytes, second: str) -> str:
    """ "in" when the hub accepted us as a browser."""
    chosen: Any = origin
    try:
        async with asyncio.timeout(60), connect(f"ws://127.0.0.1:{port}/bridge", origin=chosen) as socket:
            await socket.send(first)
            response = json.loads(await socket.recv())
            if response.get("type") != "challenge":
                return "out"
            await socket.send(second)
            return "in" if json.loads(await socket.recv()).get("type") == "welcome" else "out"
    except (ConnectionClosed, InvalidHandshake, TimeoutError):
        return "out"


async def attempt_cdp(port: int, path: str, headers: dict[str, str], origin: str | None) -> str:
    chosen: Any = origin
    try:
        async with connect(f"ws://127.0.0.1:{port}{path}", origin=chosen, additional_headers=headers) as socket:
            await socket.send('{"id":1,"method":"Browser.getVersion"}')
            await socket.recv()
            return "in"
    except (ConnectionClosed, InvalidHandshake):
        return "out"


async def attempt_mcp(http: httpx.AsyncClient, port: int, headers: dict[str, str]) -> str:
    response = await http.post(f"http://127.0.0.1:{port}/mcp", json=TOOL, headers=headers)
    return "in" if response.status_code < 400 else "out"


async def gather_few(work: list[Any]) -> list[str]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Any) -> str:
        async with gate:
            return await task

    return await asyncio.gather(*(one(task) for task in work))


async def test_a_thousand_attempts_without_the_key_get_nothing(tmp_path: Path) -> None:
    with running_hub(tmp_path / "home") as hub:
        honest = await paired(hub)
        open_code(hub)
        await attack(hub, honest)


async def attack(hub: HubProcess, honest: FakeBrowser) -> None:
    port, chance = hub.info.port, random.Random(7)
    before = get(hub, "/api/browsers")
    proofs = ["", json.dumps({"type": "proof", "proof": "A" * 43}), json.dumps({"type": "welcome"}), json.dumps(CALL)]
    strangers = [None, *PAGES, *OTHERS, EXTENSION_ORIGIN.upper(), EXTENSION_ORIGIN + "/"]
    said = hellos(str(honest.browser), chance)
    bridge = [
        attempt_bridge(port, origin, hello, chance.choice(proofs))
        for origin, hello in zip(
            itertools.chain.from_iterable(itertools.repeat([*strangers, *[EXTENSION_ORIGIN] * 10])),
            itertools.islice(said, 500),
            strict=False,
        )
    ]
    tokens = ["", "Bearer", "Bearer x", f"Bearer {hub.info.token}", f"Basic {hub.info.token}", "Bearer null"]
    paths = ["/cdp/", "/cdp/x", f"/cdp/{honest.browser}", "/cdp/../mcp", "/cdp/%2e%2e", "/cdp", "/cdp/x/y", "/devtools"]
    cdp = [
        attempt_cdp(port, path, {"Authorization": token} if token else {}, origin)
        for path, token, origin in itertools.islice(itertools.cycle(itertools.product(paths, tokens, strangers)), 250)
    ]
    limits = httpx.Limits(max_connections=AT_ONCE)
    async with httpx.AsyncClient(timeout=60, limits=limits) as http:
        wrong = [token for token in tokens if token != f"Bearer {hub.info.token}"]
        by_token = [({"Authorization": token} if token else {}) for token in wrong]
        by_origin = [{"Authorization": f"Bearer {hub.info.token}", "Origin": origin} for origin in strangers if origin]
        by_host = [
            {"Authorization": f"Bearer {hub.info.token}", "Host": host} for host in ("evil.example", f"evil:{port}")
        ]
        headers = itertools.islice(itertools.cycle([*by_token, *by_origin, *by_host]), 250)
        mcp = [attempt_mcp(http, port, one) for one in headers]
        outcomes = await gather_few([*bridge, *cdp, *mcp])
    assert len(outcomes) == 1_000
    assert set(outcomes) == {"out"}
    assert get(hub, "/api/browsers") == before
    assert get(hub, "/health")["sessions"] == 0


def get(hub: HubProcess, path: str) -> Any:
    with hub.http() as http:
        return http.get(path).json()
