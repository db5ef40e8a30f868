"""Console and network log of a page, through a real client: filtered, paged, and without secrets."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from browser_pilot.errors import InvalidArgument
from browser_pilot.mcp_server.tools.arguments import parse_since
from tests.clients import call, fail, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site, serving
from tests.waiting import eventually

CANARIES = {
    "authorization": "Bearer canary1Auth0rizati0n8877",
    "cookie": "canary2c00kie77665544",
    "set-cookie": "canary3setc00kie998877",
    "api key header": "canary4apikey5566778899",
    "token in a URL": "canary5url7890token1234",
    "password sent": "canary6passw0rdSent",
    "token received": "canary7t0kenReceived4455",
    "token on the console": "canary8console11223344",
}

PAGE = """<!doctype html><title>Noisy</title><button onclick="more()">More</button>
<script src="/broken.js"></script>
<script>
  console.log("plain text", 1);
  console.warn("careful");
  console.error("went wrong, access_token=%s");
  for (let n = 0; n < 30; n++) console.debug("line " + n);
  function more() { console.log("one more"); }
  setTimeout(function later() { missing.thing(); });
</script>"""
SIGN_IN = """fetch("/api/login?lang=en&access_token=%s", {
  method: "POST",
  headers: {"Authorization": "%s", "X-Api-Key": "%s", "Content-Type": "application/json"},
  body: JSON.stringify({user: "ada", password: "%s"}),
}).then(response => response.text())"""


def handle_login(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(int(handler.headers["Content-Length"]))
    body = json.dumps({"name": "Ada", "refresh_token": CANARIES["token received"], "filler": "lorem ipsum " * 5000})
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Set-Cookie", f"sid={CANARIES['set-cookie']}; HttpOnly")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body.encode())


def serve_broken_script(handler: BaseHTTPRequestHandler) -> None:
    body = b"let fine = 1;\n  let broken = = 2;\n"
    handler.send_response(200)
    handler.send_header("Content-Type", "text/javascript")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture(scope="module")
def noisy() -> Generator[Site]:
    page = PAGE % CANARIES["token on the console"]
    with serving({"/": page, "/api/login": handle_login, "/broken.js": serve_broken_script}) as site:
        yield site


@asynccontextmanager
async def visiting(hub: HubProcess, noisy: Site) -> AsyncGenerator[Client]:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=noisy.url())
        yield client


async def logs(client: Client, **filters: Any) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], (await call(client, "browser_console", **filters))["logs"])


async def requests(client: Client, **filters: Any) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], (await call(client, "browser_network", **filters))["requests"])


async def logs_with(client: Client, text: str) -> list[dict[str, Any]]:
    """The log rows with this text, once there are any."""
    await eventually(lambda: logs(client, text=text), f"{text!r} is logged", timeout_seconds=30, poll_seconds=0.5)
    return await logs(client, text=text)


async def sign_in(client: Client) -> int:
    await call(client, "browser_cookies", action="set", name="who", value=CANARIES["cookie"])
    script = SIGN_IN % tuple(
        CANARIES[name] for name in ("token in a URL", "authorization", "api key header", "password sent")
    )
    await call(client, "browser_evaluate", expression=script)
    return int((await requests(client, method="post"))[-1]["id"])


@pytest.mark.browser
async def test_uncaught_errors_have_their_source_location(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        thrown = await logs_with(client, "missing is not defined")
        assert thrown[0]["text"] == "Uncaught ReferenceError: missing is not defined"
        assert thrown[0]["where"].startswith(f"{noisy.url()}:9:")

        async def has_location() -> bool:
            return bool((await logs_with(client, "SyntaxError"))[0]["where"])

        await eventually(has_location, "the error has a location", timeout_seconds=30, poll_seconds=0.5)
        broken = (await logs_with(client, "SyntaxError"))[0]
        assert broken["where"] == f"{noisy.url('/broken.js')}:2:16"


@pytest.mark.browser
async def test_the_console_is_filtered_by_level_text_host_and_time(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await logs_with(client, "line 29")
        assert [row["text"] for row in await logs(client, level="warning")] == ["careful"]
        assert [row["text"] for row in await logs(client, text="PLAIN")] == ["plain text 1"]
        assert await logs(client, text="plain", host="127.0.0.1")
        assert await logs(client, text="plain", host=f"127.0.0.1:{noisy.port}")
        assert not await logs(client, text="plain", host="example.com")
        assert await logs(client, text="plain", since=600)
        before = datetime.now(UTC).isoformat()
        await call(client, "browser_click", element="text=More")
        await logs_with(client, "one more")
        assert [row["text"] for row in await logs(client, since=before)] == ["one more"]


@pytest.mark.browser
async def test_a_long_console_is_read_in_pages_without_gap_or_overlap(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await logs_with(client, "line 29")
        seen: list[str] = []
        page = await call(client, "browser_console", level="debug", limit=12)
        assert page["earlier"] == 18
        while True:
            seen = [row["text"] for row in page["logs"]] + seen
            if "cursor" not in page:
                break
            page = await call(client, "browser_console", level="debug", limit=12, cursor=page["cursor"])
        assert seen == [f"line {n}" for n in range(30)]


@pytest.mark.browser
async def test_without_arguments_only_new_entries_are_returned(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await logs_with(client, "line 29")
        await logs_with(client, "SyntaxError")
        first = await call(client, "browser_console")
        assert len(first["logs"]) + first.get("earlier", 0) >= 34
        await call(client, "browser_click", element="text=More")
        second = await call(client, "browser_console")
        assert [row["text"] for row in second["logs"]] == ["one more"]
        assert second["seen_before"] >= 34
        assert [row["url"] for row in await requests(client)][:2] == [noisy.url(), noisy.url("/broken.js")]
        assert not await requests(client)
        assert await requests(client, limit=10)


@pytest.mark.browser
async def test_log_and_warn_are_levels_and_repeated_messages_are_one_row(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await call(client, "browser_console")
        repeat = "for (let n = 0; n < 40; n++) { console.warn('slow %s', 'frame'); console.log('%d fps', 30) }"
        await call(client, "browser_evaluate", expression=repeat)

        async def all_logged() -> bool:
            rows = await logs(client, text="fps")
            return bool(rows) and rows[0].get("count") == 40

        await eventually(all_logged, "40 messages", timeout_seconds=30, poll_seconds=0.5)
        assert [(row["text"], row["count"]) for row in await logs(client, level="warn", text="slow")] == [
            ("slow frame", 40)
        ]
        assert {row["level"] for row in await logs(client, level="log", text="fps")} == {"info"}
        page = await call(client, "browser_console", text="fps")
        assert page["date"] == time.strftime("%Y-%m-%d") and page["logs"][0]["time"].count(":") == 2


@pytest.mark.browser
async def test_an_unknown_type_of_request_is_refused_and_a_status_may_be_a_number(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        error = await fail(client, "browser_network", type="api")
        assert error["error"] == "INVALID_ARGUMENT" and "xhr" in error["message"]
        assert len(await requests(client, status=200, type="script")) == 1


@pytest.mark.browser
async def test_a_result_stays_within_the_token_budget_and_says_what_is_left(hub: HubProcess, noisy: Site) -> None:
    async with http_client(hub, query="?tools=full&max_tokens=400") as client:
        await call(client, "browser_navigate", url=noisy.url())
        script = "for (let n = 0; n < 20; n++) console.info('long ' + n + ' text'.repeat(100))"
        await call(client, "browser_evaluate", expression=script)
        await logs_with(client, "long 19")
        page = await call(client, "browser_console", text="long", limit=20)
        assert 0 < len(page["logs"]) < 20
        assert page["earlier"] == 20 - len(page["logs"])


@pytest.mark.browser
async def test_the_network_is_filtered_by_method_status_type_url_host_and_time(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await sign_in(client)
        assert [row["url"] for row in await requests(client, type="script")] == [noisy.url("/broken.js")]
        assert len(await requests(client, method="POST")) == 1
        assert len(await requests(client, url="/api/", status="2xx", host="127.0.0.1", since=600)) == 1
        assert not await requests(client, url="/api/", status="4xx")
        assert not await requests(client, host="example.com")
        assert not await requests(client, since=datetime.now(UTC).isoformat())


@pytest.mark.browser
async def test_no_canary_is_in_the_list_or_the_details_of_a_request(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        number = await sign_in(client)
        results: list[str] = []
        for arguments in ({}, {"id": number}):
            result = await client.call_tool("browser_network", arguments)
            assert isinstance(result, CallToolResult)
            results.append(text_of(result))
        whole = await call(client, "browser_network", id=number)
        assert whole["request_headers"]["authorization"] == "[redacted:credentials]"
        assert whole["request_headers"]["cookie"] == "[redacted:cookie]"
        assert whole["request_headers"]["x-api-key"] == "[redacted:key]"
        assert whole["response_headers"]["set-cookie"] == "[redacted:cookie]"
        assert json.loads(whole["request_body"]) == {"user": "ada", "password": "[redacted:password]"}
        assert "lang=en" in whole["url"] and '"name":"Ada"' in whole["response_body"]
        for name, canary in CANARIES.items():
            assert all(canary not in text for text in results), name


@pytest.mark.browser
async def test_no_canary_is_on_the_console_or_can_be_searched_for(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        await logs_with(client, "went wrong")
        canary = CANARIES["token on the console"]
        assert canary not in str(await logs(client, limit=1000))
        assert not await logs(client, text=canary[:12])


@pytest.mark.browser
async def test_a_long_body_is_read_to_its_end_with_the_cursor(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        page = await call(client, "browser_network", id=await sign_in(client))
        body = page["response_body"]
        while "cursor" in page:
            page = await call(client, "browser_network", id=page["id"], cursor=page["cursor"])
            assert "request_headers" not in page
            body += page["response_body"]
        document = json.loads(body)
        assert document["filler"] == "lorem ipsum " * 5000
        assert document["refresh_token"] == "[redacted:token]"


@pytest.mark.browser
async def test_an_invalid_time_is_refused(hub: HubProcess, noisy: Site) -> None:
    async with visiting(hub, noisy) as client:
        error = await fail(client, "browser_console", since="yesterday")
        assert error["error"] == "INVALID_ARGUMENT" and "yesterday" in error["message"]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, 0),
        (30, 999_970),
        ("30", 999_970),
        (0.5, 999_999.5),
        ("1970-01-12T13:46:30Z", 999_990),
        ("1970-01-12T15:46:30+02:00", 999_990),
    ],
)
def test_a_time_is_seconds_ago_or_an_iso_time(since: float | str | None, expected: float) -> None:
    assert parse_since(since, now=1_000_000) == expected


def test_a_time_of_day_is_its_latest_occurrence() -> None:
    now = datetime(2026, 3, 5, 12, 0).timestamp()
    assert parse_since("11:30:00.250", now=now) == now - 1800 + 0.25
    assert parse_since("23:00", now=now) == now - 13 * 3600
    assert parse_since(time.strftime("%H:%M:%S", time.localtime(now + 2)), now=now) == now + 2


def test_other_text_is_no_time() -> None:
    with pytest.raises(InvalidArgument):
        parse_since("soon", now=0)
