"""About 300 kinds of secrets, each in a place where an agent, a page or a user may put it. None of them leaks.

Searched: every result and error of the called tools, the hub's output, every file that it wrote, and the arguments and
environment of each of its processes.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from mcp.client import Client

from tests.attempts import count_attempts
from tests.clients import http_client, text_of
from tests.hub_process import HubProcess, running_hub
from tests.integration.approvals.simulated_users import configure
from tests.redaction.canaries import ALNUM, CARDS, CERTAIN_NAMES, SECRET_HEADERS, TOKENS, rand
from tests.sites import Site, serving

pytestmark = pytest.mark.browser

SETTINGS = '[tools]\nprofile = "full"\nmax_tokens = 100000\n[policy]\nrate_per_minute = 100000\n'
PLACES = ("text", "console", "path", "body", "storage", "field", "title", "error")
# A browser sends these itself, or not at all.
NOT_SENT_BY_SCRIPT = {"cookie", "set-cookie", "proxy-authorization"}


@dataclass(frozen=True)
class Planted:
    kind: str
    secret: str
    place: str
    name: str = ""


def planted() -> Iterator[Planted]:
    for number, (kind, secret) in enumerate(TOKENS.items()):
        for place in (PLACES[number % len(PLACES)], PLACES[(number + 3) % len(PLACES)]):
            if not (place == "path" and "/" in secret):
                yield Planted(f"{kind} in {place}", secret, place)
    for kind, secret in CARDS.items():
        yield Planted(f"card {kind}", secret, "text" if len(secret) % 2 else "field")
    for name in CERTAIN_NAMES:
        for place in ("query", "json", "warning"):
            yield Planted(f"{place}: {name}", "Zq7" + rand(ALNUM, 12), place, name)
    for name in SECRET_HEADERS:
        if name.lower() not in NOT_SENT_BY_SCRIPT:
            yield Planted(f"header: {name}", rand(ALNUM, 20), "header", name)
    for number in range(12):
        yield Planted(f"cookie {number}", rand(ALNUM, 24), "cookie", f"c{number}")
    for number in range(8):
        yield Planted(f"typed password {number}", f"Pw-{rand(ALNUM, 12)}!", "typed")
    for number in range(4):
        yield Planted(f"dialog {number}", f"ghp_{rand(ALNUM, 36)}", "dialog")


def page(all_planted: list[Planted]) -> str:
    """A page that shows, stores, sends and logs all of them."""
    at = {place: [one for one in all_planted if one.place == place] for place in {one.place for one in all_planted}}
    texts = "".join(f"<p>Here: {one.secret} is it</p>" for one in at["text"])
    fields = "".join(
        f"<label>Field {number} <input value='{one.secret}'></label>" for number, one in enumerate(at["field"])
    )
    titles = "".join(f"<button title='{one.secret}'>B{number}</button>" for number, one in enumerate(at["title"]))
    sent = [f"/sink/{quote(one.secret, safe='')}" for one in at["path"]]
    sent += [f"/sink?a=1&{quote(one.name)}={one.secret}" for one in at["query"]]
    bodies = [one.secret for one in at["body"]] + [json.dumps({one.name: one.secret}) for one in at["json"]]
    headers = {one.name: one.secret for one in at["header"]}
    script = f"""
      for (const text of {json.dumps([one.secret for one in at["console"]])}) console.log('seen ' + text);
      for (const text of {json.dumps([f"{one.name}={one.secret}" for one in at["warning"]])}) console.warn(text);
      {json.dumps([one.secret for one in at["storage"]])}.forEach((text, n) => localStorage.setItem('k' + n, text));
      for (const text of {json.dumps([one.secret for one in at["error"]])}) setTimeout(() => {{ throw Error(text) }});
      window.sent = Promise.all([
        ...{json.dumps(sent)}.map((url) => fetch(url)),
        ...{json.dumps(bodies)}.map((body) => fetch('/sink', {{ method: 'POST', body }})),
        fetch('/sink', {{ headers: {json.dumps(headers)} }}),
      ]).then(() => {{ document.querySelector('h1').textContent = 'All sent' }});"""
    return f"""<!doctype html><html lang=en><title>Canaries</title><h1>Sending</h1>
      <label>Password <input type=password id=pw></label>{texts}{fields}{titles}<script>{script}</script></html>"""


@pytest.fixture
def secrets() -> list[Planted]:
    return list(planted())


@pytest.fixture
def canary_site(secrets: list[Planted]) -> Generator[Site]:
    def main(request: BaseHTTPRequestHandler) -> None:
        body = page(secrets).encode()
        request.send_response(200)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        for one in secrets:
            if one.place == "cookie":
                request.send_header("Set-Cookie", f"{one.name}={one.secret}; HttpOnly")
        request.end_headers()
        request.wfile.write(body)

    with serving({"/": main, "/sink": "ok"}) as site:
        yield site


async def collect_results(client: Client, secrets: list[Planted]) -> list[str]:
    """Every tool result that could contain one of them."""
    results: list[str] = []

    async def call(tool: str, **arguments: Any) -> str:
        results.append(text_of(await client.call_tool(tool, arguments)))
        return results[-1]

    async def call_all(tool: str, **arguments: Any) -> None:
        cursor = None
        for _ in range(200):
            result = await call(tool, **arguments, **({"cursor": cursor} if cursor is not None else {}))
            rest = [line for line in result.splitlines() if line.startswith("cursor:")]
            if not rest:
                return
            cursor = json.loads(rest[0].removeprefix("cursor:").strip())

    for detail in ("interactive", "standard", "full"):
        await call_all("browser_snapshot", detail=detail)
    await call_all("browser_read", scope="page")
    await call("browser_dom")
    await call("browser_find", text="Here")
    await call("browser_tabs", action="list")
    await call("browser_cookies", action="get")
    await call("browser_storage", action="get")
    await call("browser_evaluate", expression="document.documentElement.outerHTML")
    await call("browser_evaluate", expression="Object.values(localStorage)")
    await call_all("browser_console")
    await call_all("browser_network")
    for request in range(1, 400):
        if '"NOT_FOUND"' in await call("browser_network", id=request) or "error: " in results[-1]:
            break
    for one in secrets:
        if one.place == "typed":
            await call("browser_type", element="#pw", text=one.secret)
            await call("browser_evaluate", expression="document.querySelector('#pw').value")
            await call("browser_click", element=f"text={one.secret}")
        elif one.place == "dialog":
            await call("browser_evaluate", expression=f"setTimeout(() => prompt('Key {one.secret}?')); 1")
            await call("browser_snapshot")
            await call("browser_dialog", accept=True, text=one.secret)
    await call("browser_screenshot", path=f"{secrets[0].secret}.png")
    await call("browser_navigate", url=f"http://127.0.0.1:1/?token={secrets[0].secret}")
    return results


def processes(hub: HubProcess) -> str:
    found: list[str] = []
    for one in [psutil.Process(hub.process.pid), *psutil.Process(hub.process.pid).children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # a renderer may end meanwhile
            found.append(f"{one.cmdline()} {one.environ()}")
    assert len(found) > 3
    return "\n".join(found)


async def test_no_secret_is_found_anywhere(home: Path, canary_site: Site, secrets: list[Planted]) -> None:
    assert len({one.kind for one in secrets}) >= 300
    configure(home, SETTINGS)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            opened = await client.call_tool("browser_navigate", {"url": canary_site.url()})
            assert not opened.is_error, text_of(opened)
            waited = await client.call_tool("browser_wait_for", {"text": "All sent"})
            assert not waited.is_error, text_of(waited)
            returned = "\n".join([text_of(opened), text_of(waited), *await collect_results(client, secrets)])
            running = processes(hub)
    assert "[redacted:" in returned
    assert [path.name for path in home.rglob("*.png")] == ["redacted.png"]
    left = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    found = [one.kind for one in secrets if one.secret in returned or any(one.secret in path.name for path in left)]
    found += [f"{one.kind} (process)" for one in secrets if one.secret in running]
    found += [f"{one.kind} ({path.name})" for one in secrets for path in left if one.secret.encode() in left[path]]
    assert found == []
    count_attempts(len(secrets))
