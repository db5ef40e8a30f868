"""Guests' tools as MCP clients use them, and the commands that manage guests: a real hub, without a browser."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp.server.subscriptions import ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceLink, TextResourceContents, ToolListChangedNotification

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader
from browser_pilot.guests.installed.guest_store import GuestStore
from tests.clients import ERAS, fail, http_client, stdio_adapter, text_of
from tests.commands import run_pilot
from tests.guests.guest_factory import package, script
from tests.guests.hostile_schemas import NUMBERS, multiplying_schema
from tests.guests.wasm_builder import has_clang
from tests.hub_process import HubProcess, environment, running_hub
from tests.waiting import eventually

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
GOOD = package(
    script("return 'n is ' + args.n"),
    name="good",
    tools=[{"name": "count", "title": "Count", "description": "Counts\nthings.", "inputSchema": SCHEMA}],
)
BAD = package(
    script("for (;;) {}"),
    name="bad",
    tools=[{"name": "spin", "description": "Spins.", "inputSchema": {"type": "object"}}],
)
ECHOING = package(
    "(async () => { for (;;) { const r = JSON.parse(await MCP.readLine()); if (r.method === 'tools/call') "
    "MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: r.id, result: r.params.arguments.result })) } })()",
    name="echoing",
    tools=[{"name": "say", "description": "", "inputSchema": {"type": "object"}}],
)

# Responds with what the argument says, as JavaScript.
EVALUATING = package(
    "(async () => { for (;;) { const r = JSON.parse(await MCP.readLine()); if (r.method === 'tools/call') "
    "MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: r.id, ...eval(`({ ${r.params.arguments.code} })`) })) } })()",
    name="evaluating",
    tools=[{"name": "run", "description": "", "inputSchema": {"type": "object"}}],
)
OUTPUT = {"type": "object", "properties": {"now": {"type": "string"}}, "required": ["now"]}
# Responds with what the argument says; its name of the tool has a dot.
TYPED = package(
    "(async () => { for (;;) { const r = JSON.parse(await MCP.readLine()); "
    "if (r.method === 'tools/call' && r.params.name === 'time.now') "
    "MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: r.id, result: r.params.arguments.result })); "
    "if (r.method === 'resources/read') MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: r.id, "
    "result: { contents: [{ uri: r.params.uri, text: `the resource ${r.params.uri}` }] } })) } })()",
    name="typed",
    permissions=["browser:tabs.create", "browser:cookies.read"],
    tools=[
        {
            "name": "time.now",
            "inputSchema": {"type": "object"},
            "outputSchema": OUTPUT,
            "annotations": {
                "title": "The time",
                "readOnlyHint": True,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
    ],
)
LOOPS = package(
    script("if (args.forever) await new Promise((done) => setTimeout(done, 1e8)); return 1"),
    name="loops",
    tools=[{"name": "spin", "inputSchema": {"type": "object"}}],
)
CROWD = package(
    script("return 'called'"),
    name="crowd",
    tools=[
        {"name": f"t{n}", "description": "d" * 4000, "inputSchema": {"type": "object", "description": "s" * 9000}}
        for n in range(64)
    ],
)
SLOW = package(
    script("return 'never called'"),
    name="slow",
    tools=[{"name": "take", "description": "Takes rows.", "inputSchema": multiplying_schema()}],
)


OTHERS = {"bad__spin", "echoing__say", "evaluating__run", "slow__take", "typed__time_now", "loops__spin"}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory, modules: Path) -> Generator[HubProcess]:
    home = tmp_path_factory.mktemp("guests") / "home"
    store = GuestStore(home)
    store.folder.mkdir(parents=True)
    modules.mkdir(exist_ok=True)
    store.cache_folder.symlink_to(modules)
    for guest in (GOOD, BAD, ECHOING, EVALUATING, TYPED, LOOPS, CROWD, SLOW):
        store.install(guest, guest.manifest.tools or (), source="a test")
    (home / "config.toml").write_text(
        "[guests]\ncpu_seconds = 0.5\ncall_seconds = 20\n[policy]\nrate_per_minute = 100000\n"
    )
    with running_hub(home) as process:
        yield process


def command(hub: HubProcess, *arguments: str, check: bool = True, given: str = "") -> str:
    done = run_pilot(hub.home, "guest", *arguments, stdin=given)
    assert (done.code == 0) == check, done.out + done.err
    return done.out + done.err


@pytest.mark.parametrize("era", ERAS)
async def test_guests_tools_are_listed_with_their_own_schema_and_a_mark(hub: HubProcess, era: str) -> None:
    async with http_client(hub, era=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    tool = tools["good__count"]
    assert tool.input_schema == SCHEMA
    assert tool.description == "[third-party guest good] Counts ⏎ things."
    assert tool.annotations is not None
    assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (False, True)
    assert "browser_navigate" in tools


@pytest.mark.parametrize("era", ERAS)
async def test_a_guests_tool_is_called_and_its_arguments_are_checked(hub: HubProcess, era: str) -> None:
    async with http_client(hub, era=era) as client:
        assert text_of(await client.call_tool("good__count", {"n": 5})) == "n is 5"
        assert (await fail(client, "good__count", n="five"))["error"] == "INVALID_ARGUMENT"
        assert (await fail(client, "good__count"))["error"] == "INVALID_ARGUMENT"
        assert (await fail(client, "good__count", n=1, other=2))["error"] == "INVALID_ARGUMENT"


async def test_a_guests_tool_is_counted_under_its_name_in_the_metrics(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        await client.call_tool("good__count", {"n": 1})

    with hub.http() as http:
        metrics = http.get("/metrics").text
    assert 'browser_pilot_calls_total{status="ok",tool="good__count"}' in metrics


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?tools=minimal", OTHERS | {"good__count"}),
        ("?tools=minimal,-guests", set[str]()),
        ("?tools=minimal,-good__count", OTHERS),
        ("?tools=minimal,good__count", {"good__count"}),
    ],
)
async def test_guests_tools_can_be_selected(hub: HubProcess, query: str, expected: set[str]) -> None:
    async with http_client(hub, query=query) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}

    assert {name for name in names if "__" in name and not name.startswith("crowd__")} == expected
    assert "browser_interact" in names


async def test_a_failing_guest_affects_no_other_and_is_started_again(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        spinning = [asyncio.create_task(fail(client, "bad__spin")) for _ in range(2)]
        for n in range(5):
            assert text_of(await client.call_tool("good__count", {"n": n})) == f"n is {n}"
        for error in await asyncio.gather(*spinning):
            assert error["error"] == "GUEST_FAILED"
            assert error["why"] == "cpu"
        assert (await fail(client, "bad__spin"))["why"] == "cpu"

    assert "computed for too long" in command(hub, "logs", "bad")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({}, ""),
        ({"content": "text"}, "invalid tool result"),
        ({"content": [1]}, "invalid tool result"),
        ({"content": [{"type": "image", "data": "%%"}]}, "image"),
        ({"content": [{"type": "image", "data": "MQ==", "mimeType": "text/html\r\nx"}]}, "MIME type"),
        ({"content": [{"type": "image", "data": "MQ==", "mimeType": "text/html"}]}, "not the type of an image"),
        ({"content": [{"type": "resource_link", "uri": "a b", "name": "x"}]}, "URI"),
        ({"content": [], "structuredContent": [1]}, "not an object"),
        ({"content": [{"type": "text", "text": "sorry"}], "isError": True}, "sorry"),
        ("text", "neither a result nor an error"),
    ],
)
async def test_an_invalid_result_is_the_guests_failure(hub: HubProcess, result: Any, message: str) -> None:
    async with http_client(hub) as client:
        if message:
            failed = await fail(client, "echoing__say", result=result)
            assert failed["error"] == "GUEST_FAILED"
            assert message in failed["message"]
        else:
            assert not (await client.call_tool("echoing__say", {"result": result})).is_error


@pytest.mark.parametrize("era", ERAS)
async def test_structured_content_is_returned_beside_the_content(hub: HubProcess, era: str) -> None:
    both = {"content": [{"type": "text", "text": "one"}], "structuredContent": {"a": 1}}
    async with http_client(hub, era=era) as client:
        alone = await client.call_tool("echoing__say", {"result": {"structuredContent": {"a": 1}}})
        beside = await client.call_tool("echoing__say", {"result": both})

    assert (text_of(alone), alone.structured_content) == ('{"a": 1}', {"a": 1})
    assert (text_of(beside), beside.structured_content) == ("one", {"a": 1})


async def test_a_result_keeps_its_promise_of_an_output_schema_or_fails(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["typed__time_now"].output_schema == OUTPUT
        good = await client.call_tool("typed__time_now", {"result": {"content": [], "structuredContent": {"now": "1"}}})
        assert good.structured_content == {"now": "1"}
        invalid: list[dict[str, Any]] = [{"content": []}, {"content": [], "structuredContent": {"now": 1}}]
        for result in invalid:
            assert "outputSchema" in (await fail(client, "typed__time_now", result=result))["message"]
    async with http_client(hub, query="?max_tokens=300") as client:
        long: dict[str, Any] = {"content": [], "structuredContent": {"now": "word " * 5000}}
        assert "longer than 300 tokens" in (await fail(client, "typed__time_now", result=long))["message"]
        outcome = await client.call_tool("echoing__say", {"result": long})
        assert outcome.structured_content is None
        assert "was left out" in text_of(outcome)


async def test_what_a_tool_claims_is_passed_on(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    claims = tools["typed__time_now"].annotations
    assert claims is not None
    assert (claims.title, claims.read_only_hint, claims.destructive_hint) == ("The time", True, False)
    assert (claims.idempotent_hint, claims.open_world_hint) == (True, False)


async def test_a_result_keeps_the_order_and_kind_of_its_blocks(hub: HubProcess) -> None:
    blocks = [
        {"type": "image", "data": "MQ==", "mimeType": "image/png"},
        {"type": "text", "text": "between"},
        {"type": "audio", "data": "Mg==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "https://news.example/1", "name": "one", "description": "a\u001bb"},
        {"type": "resource_link", "uri": "archive://2", "name": "two", "size": 5},
        {"type": "resource", "resource": {"uri": "archive://3", "text": "inside", "mimeType": "text/plain"}},
    ]
    async with http_client(hub) as client:
        content = (await client.call_tool("echoing__say", {"result": {"content": blocks}})).content
        assert [block.type for block in content] == [block["type"] for block in blocks]
        link, inner = content[3], content[4]
        assert isinstance(link, ResourceLink)
        assert isinstance(inner, ResourceLink)
        assert (str(link.uri), link.description) == ("https://news.example/1", "a\ufffdb")
        assert str(inner.uri) == "browser-pilot://guests/echoing/archive%3A%2F%2F2"
        read = await client.read_resource("browser-pilot://guests/typed/archive%3A%2F%2F2")
        [resource] = read.contents
        assert isinstance(resource, TextResourceContents)
        assert resource.text == "the resource archive://2"


async def test_calls_of_guests_and_what_users_do_with_them_are_in_the_audit_log(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        await client.call_tool("good__count", {"n": 71})
        await fail(client, "evaluating__run", code="error: { code: 1, message: 'refused' }")
    command(hub, "allow", "good", "news.example", "--can", "read")
    command(hub, "forbid", "good", "other.example", "--client", "Claude")
    command(hub, "disable", "good")
    command(hub, "enable", "good")

    entries = [entry.body for entry in AuditLogReader(AuditLogFiles.in_home(hub.home)).entries()]
    [call] = [entry for entry in entries if entry.get("arguments") == {"n": 71}]
    assert (call["tool"], call["what"]) == ("good__count", "Call the guest good")
    failed = [entry for entry in entries if entry.get("error") == "GUEST_FAILED"]
    assert any("refused" in str(entry["summary"]) for entry in failed)
    notes = [str(entry.get("text")) for entry in entries]
    for note in ("The guest good was allowed", "was denied permissions", "was disabled", "was enabled"):
        assert any(note in text for text in notes), note


def test_a_grant_without_permissions_is_what_the_manifest_asks_for(hub: HubProcess) -> None:
    assert "does not say which permissions" in command(hub, "allow", "good", "a.example", check=False)
    shown = command(hub, "allow", "typed", "a.example", "--client", "Claude")
    assert "see the site's cookies, which let it act as you" in shown
    assert "for Claude" in shown
    refused = command(hub, "allow", "typed", "a.example", "--can", "login", check=False)
    assert "does not list browser:login" in refused
    assert "'nonsense' is not a permission" in command(
        hub, "forbid", "typed", "a.example", "--can", "nonsense", check=False
    )
    grants = json.loads(command(hub, "info", "typed", "--json"))["grants"]
    assert {
        "site": "a.example",
        "permission": "browser:cookies.read",
        "decision": "allow",
        "client": "Claude",
    } in grants


async def test_a_restarted_guest_runs_in_a_new_process(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        await client.call_tool("good__count", {"n": 1})
        with hub.http() as http:
            before = {one["pid"] for one in http.get("/api/guests").json()["running"] if one["name"] == "good"}
            assert "starts anew at its next call" in await asyncio.to_thread(command, hub, "restart", "good")
            await client.call_tool("good__count", {"n": 1})
            after = {one["pid"] for one in http.get("/api/guests").json()["running"] if one["name"] == "good"}

    assert before
    assert not before & after


async def test_a_guest_that_works_on_after_its_call_was_cancelled_is_ended(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        assert text_of(await client.call_tool("loops__spin", {})) == "1"
        with pytest.raises(MCPError):
            await client.call_tool("loops__spin", {"forever": True}, read_timeout_seconds=1)
        await eventually(lambda: "a call was cancelled, and it went on" in command(hub, "logs", "loops"), "its end")
        assert text_of(await client.call_tool("loops__spin", {})) == "1"


async def test_the_list_of_all_guests_tools_is_bounded(hub: HubProcess) -> None:
    async with http_client(hub) as client:
        listed = [tool for tool in (await client.list_tools()).tools if "__" in tool.name]
        assert text_of(await client.call_tool("crowd__t63", {})) == "called"

    size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in listed)
    assert size <= 64 << 10
    assert {"good__count", "typed__time_now", "crowd__t0"} <= {tool.name for tool in listed}


async def test_a_long_result_is_cut_with_a_note(hub: HubProcess) -> None:
    async with http_client(hub, query="?max_tokens=300") as client:
        outcome = await client.call_tool(
            "echoing__say", {"result": {"content": [{"type": "text", "text": "word " * 5000}]}}
        )

    assert "longer than 300 tokens" in text_of(outcome)
    assert len(text_of(outcome)) < 3000


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_clients_are_notified_when_guests_are_enabled_or_disabled(
    hub: HubProcess, transport: str, era: str
) -> None:
    changed = asyncio.Event()

    async def on_message(message: object) -> None:
        if isinstance(getattr(message, "root", message), ToolListChangedNotification | ToolsListChanged):
            changed.set()

    async with AsyncExitStack() as stack:
        connecting = (
            stdio_adapter(hub.home, era=era, on_message=on_message)
            if transport == "stdio"
            else http_client(hub, era=era, on_message=on_message)
        )
        client = await stack.enter_async_context(connecting)
        assert "good__count" in {tool.name for tool in (await client.list_tools()).tools}
        if era == ERAS[1]:
            stream = await stack.enter_async_context(client.listen(tools_list_changed=True))

            async def receive() -> None:
                async for event in stream:
                    await on_message(event)

            receiving = asyncio.create_task(receive())
            stack.callback(receiving.cancel)
        await asyncio.to_thread(command, hub, "disable", "good")
        await asyncio.wait_for(changed.wait(), 30)
        assert "good__count" not in {tool.name for tool in (await client.list_tools()).tools}
        await asyncio.to_thread(command, hub, "enable", "good")


def test_adding_a_guest_shows_its_requests_and_needs_approval(hub: HubProcess, tmp_path: Path) -> None:
    folder = tmp_path / "asks"
    folder.mkdir()
    manifest = {
        "manifestVersion": "1.0.0",
        "name": "asks",
        "version": "1",
        "runtime": "js",
        "scriptUrl": "a.js",
        "capabilities": {"network": {"hosts": ["*"]}},
        "permissions": ["browser:cookies.read"],
        "secrets": [{"name": "KEY", "description": "A key"}],
        "tools": [{"name": "do", "description": "Does it.", "inputSchema": {"type": "object"}}],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "a.js").write_text(script("return process.env.KEY.length"))

    refused = command(hub, "add", str(folder), check=False, given="n\n")
    for message in ("EVERY host", "cookies", "the secret KEY", "asks__do", "Nothing was added"):
        assert message in refused
    assert "asks" not in GuestStore(hub.home).names()

    assert "Added asks" in command(hub, "add", str(folder), given="y\n")
    assert "has not changed" in command(hub, "add", str(folder))
    assert "needs the secret KEY" in command(hub, "call", "asks", "do", check=False)
    command(hub, "secret", "asks", "KEY", given="a-long-secret-value\n")
    assert "19" in command(hub, "call", "asks", "do")

    (folder / "a.js").write_text(script("return 'new'"))
    assert "with different files" in command(hub, "add", str(folder), check=False, given="n\n")
    assert "19" in command(hub, "call", "asks", "do")
    command(hub, "add", str(folder), "--yes")
    # The update does not inherit the secret of the version before it.
    assert "needs the secret KEY" in command(hub, "call", "asks", "do", check=False)
    command(hub, "secret", "asks", "KEY", given="another value\n")
    assert "new" in command(hub, "call", "asks", "do")

    info = json.loads(command(hub, "info", "asks", "--json"))
    assert info["secrets"] == {"KEY": True}
    assert "asks" in command(hub, "list")
    command(hub, "allow", "asks", "example.com")
    [grant] = json.loads(command(hub, "info", "asks", "--json"))["grants"]
    assert (grant["site"], grant["permission"], grant["decision"]) == ("example.com", "browser:cookies.read", "allow")
    command(hub, "remove", "asks", "--yes")
    assert "There is no guest" in command(hub, "info", "asks", check=False)


@pytest.mark.parametrize("kind", ["--js", "--wasm"])
def test_a_new_guest_works_unchanged(hub: HubProcess, tmp_path: Path, kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "browser_pilot", "guest", "new", "fresh", kind],
        env=environment(hub.home),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "Created the guest" in done.stdout
    if kind == "--wasm":
        if not has_clang():
            pytest.skip("no clang that builds for WASI; `make test` installs it on Debian")
        subprocess.run(["make", "-C", str(tmp_path / "fresh")], check=True, capture_output=True)

    assert "It starts in" in command(hub, "test", str(tmp_path / "fresh"))


async def test_half_an_emoji_in_a_guests_result_or_error_disturbs_nobody(hub: HubProcess) -> None:
    half = {"content": [{"type": "text", "text": "a\\ud83d"}, {"type": "other", "text": "\\ude00"}]}
    expressions = (
        json.dumps(half).replace("\\\\u", "\\u"),
        "{ content: [], structuredContent: { '\\ud83d': ['\\ude00'] } }",
        "{ isError: true, content: [{ type: 'text', text: '\\ud83d' }] }",
    )
    for guest in expressions:
        for connect in (stdio_adapter(hub.home), http_client(hub)):
            async with connect as client:
                result = await client.call_tool("evaluating__run", {"code": f"result: {guest}"})
                assert "\ufffd" in text_of(result)
                failed = await client.call_tool("evaluating__run", {"code": "error: { code: 1, message: 'm\\ud83d' }"})
                assert "m\ufffd" in text_of(failed)
                assert (await client.list_tools()).tools
    shown = command(hub, "call", "evaluating", "run", json.dumps({"code": f"result: {expressions[0]}"}))
    assert "a\ufffd" in shown


async def test_other_clients_are_served_while_a_guests_schema_takes_for_ever(hub: HubProcess) -> None:
    async with http_client(hub) as one, http_client(hub) as other:
        await other.call_tool("good__count", {"n": 0})
        error, served_meanwhile = "", 0
        # On a busy machine one such call may end before the other client's first.
        for _ in range(5):
            hostile = asyncio.create_task(fail(one, "slow__take", rows=NUMBERS * 10))
            while not hostile.done():
                assert text_of(await other.call_tool("good__count", {"n": 7})) == "n is 7"
                served_meanwhile += not hostile.done()
            error = await hostile
            if served_meanwhile:
                break

    assert served_meanwhile
    assert "cannot validate these arguments" in str(error)
