"""Sessions are isolated in each kind of storage, pairwise: of the same client and of another client."""

from __future__ import annotations

import itertools
import json
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.sites import Site, serving

pytestmark = pytest.mark.browser
FULL = "?tools=full"
SCRIPT = (Path(__file__).parent / "storage_page.js").read_text(encoding="utf-8")
WORKER = """const marks = new Set(); onconnect = ({ports: [port]}) => {
    port.onmessage = ({data}) => { if (data) marks.add(data); port.postMessage([...marks]); } }"""
KINDS = (
    "cookies localStorage sessionStorage indexedDB caches files serviceWorkers sharedWorkers channels locks httpCache"
).split()
NOT_RECEIVED_BY_SENDER = {"channels"}


def _script(text: str, *headers: tuple[str, str]) -> Any:
    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        for name, value in (("Content-Type", "text/javascript"), ("Content-Length", str(len(text))), *headers):
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(text.encode())

    return respond


@pytest.fixture(scope="module")
def storage() -> Generator[Site]:
    pages = {
        "/": f"<!doctype html><title>Storage</title><script>{SCRIPT}</script>",
        "/worker.js": _script(WORKER),
        "/service.js": _script("onfetch = () => {}"),
        "/cached": _script("1", ("Cache-Control", "max-age=1000")),
    }
    with serving(pages) as served:
        yield served


async def _found_marks(client: Client, tab: str, marks: list[str]) -> dict[str, list[str]]:
    result = await call(client, "browser_evaluate", expression=f"readMarks({json.dumps(marks)})", tab=tab)
    return result["result"]


async def _logs(client: Client, tab: str) -> str:
    return str([await call(client, tool, tab=tab) for tool in ("browser_console", "browser_network")])


async def test_no_session_sees_the_storage_of_another(hub_without_rate_limit: HubProcess, storage: Site) -> None:
    async with (
        http_client(hub_without_rate_limit, query=FULL) as mine,
        http_client(hub_without_rate_limit, query=FULL) as other,
    ):
        tabs: dict[str, tuple[Client, str]] = {}
        for mark, client in (("first", mine), ("second", mine), ("third", other)):
            await call(client, "browser_session", action="create")
            tab = (await call(client, "browser_navigate", url=storage.url()))["tab"]
            tabs[mark] = (client, tab)
        for mark, (client, tab) in tabs.items():
            await call(client, "browser_evaluate", expression=f"put('{mark}')", tab=tab)
            await call(client, "browser_evaluate", expression=f"console.log('{mark} console')", tab=tab)
        logs = {mark: await _logs(client, tab) for mark, (client, tab) in tabs.items()}
        found = {mark: await _found_marks(client, tab, list(tabs)) for mark, (client, tab) in tabs.items()}
        for one, two in itertools.permutations(tabs, 2):
            for kind in KINDS:
                assert two not in found[one][kind], f"{one} sees {two} in {kind}"
                assert one in found[one][kind] or kind in NOT_RECEIVED_BY_SENDER, f"{one} does not see itself in {kind}"
            assert f"{two} console" not in logs[one] and f"?{two}" not in logs[one]
            assert f"{one} console" in logs[one] and f"?{one}" in logs[one]
