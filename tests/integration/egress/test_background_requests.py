"""A default session sends no requests and DNS queries of the browser's own: not for autofill, updates or checks."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browser_pilot.egress import PROXY_LOGIN_URL
from tests.clients import call, http_client
from tests.hub_process import running_hub
from tests.sites import serving

pytestmark = pytest.mark.browser

# Everything that makes Chromium ask a server: a login, an address, a payment card, a download, a spelling mistake.
FORM = """<!doctype html><html lang=fr><title>Compte</title><link rel=icon href="data:,">
<form action=/done method=post><input name=username autocomplete=username><input type=password name=password id=pw>
<input type=password name=again autocomplete=new-password><input name=email type=email id=mail autocomplete=email>
<input name=street autocomplete=street-address><input name=city autocomplete=address-level2>
<input name=zip autocomplete=postal-code>
<input name=card autocomplete=cc-number><input name=cvc autocomplete=cc-csc><input type=search name=q>
<textarea id=text spellcheck=true></textarea><select name=country autocomplete=country><option>France</select>
<button>Sign in</button></form><p>Voici un texte en langue française, que le navigateur pourrait traduire.</p></html>"""
LOG_EVENTS = {"URL_REQUEST_START_JOB", "HOST_RESOLVER_MANAGER_REQUEST", "HOST_RESOLVER_MANAGER_JOB", "DNS_TRANSACTION"}


def requests_in(log: Path) -> list[tuple[str, str]]:
    """From Chromium's network log: requests and DNS queries, as the kind of event and the host."""
    text = log.read_text(encoding="utf-8").rstrip()
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError:
        data = json.loads(f"{text.rstrip(',')}]}}")  # the log of a browser that was killed has no end
    names = {number: name for name, number in data["constants"]["logEventTypes"].items()}
    found: list[tuple[str, str]] = []
    for event in data["events"]:
        kind, params = names[event["type"]], event.get("params", {})
        if kind in LOG_EVENTS and (params.get("url") or params.get("host")):
            address = str(params.get("url") or params.get("host"))
            found.append((kind, urlsplit(address if "//" in address else f"//{address}").hostname or address))
    return found


@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param(3, id="short", marks=pytest.mark.timeout(240)),
        pytest.param(600, id="ten minutes", marks=[pytest.mark.long, pytest.mark.timeout(1200)]),
    ],
)
async def test_a_default_session_makes_no_background_requests(home: Path, tmp_path: Path, seconds: int) -> None:
    log = tmp_path / "network.json"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(
        f'[browser]\nargs = ["--log-net-log={log}"]\n[policy]\nrate_per_minute = 100000\n'
    )
    with serving({"/": FORM, "/done": "<title>Done</title><p>Done</p>"}) as site, running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            end = time.monotonic() + seconds
            visits = 0
            while visits < 2 or time.monotonic() < end:
                await call(client, "browser_navigate", url=site.url())
                await call(client, "browser_type", element="#mail", text="ann@example.com")
                await call(client, "browser_type", element="#text", text="Thiss is a mistaek")
                await call(client, "browser_type", element="#pw", text="hunter2!Rabbit9", submit=True)
                await call(client, "browser_wait_for", ms=min(10_000, seconds * 300))
                visits += 1
    own = {"127.0.0.1", urlsplit(PROXY_LOGIN_URL).hostname}
    found = requests_in(log)
    assert any(host == "127.0.0.1" for _, host in found), "the log has the session's own requests"
    assert sorted({(kind, host) for kind, host in found if host not in own}) == []
