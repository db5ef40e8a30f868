"""Every tool on pages with malformed, hidden or endless texts: a safe result or a typed error, and life goes on."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from browser_pilot.mcp_server.tool_registry import Tool
from browser_pilot.mcp_server.tools import REGISTRY
from tests.clients import call, data_of, http_client, page_text, ref_of, stdio_adapter, text_of
from tests.hub_process import HubProcess
from tests.sites import Site, serving

from .hostile_page import PAGES
from .test_invalid_calls import CODES
from .valid_calls import CURSOR, FILE, HERE, REF, SESSION, VALID_CALLS

pytestmark = pytest.mark.browser

TOOLS = "full,minimal"
MAX_RESULT_CHARACTERS = 60_000
HIDDEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]|[\ufe00-\ufe0f]{2}")
# Longer than the longest text of a field.
LONG_RUN = re.compile("T{21000}")


@pytest.fixture(scope="module")
def hostile() -> Generator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


@asynccontextmanager
async def client_over(transport: str, hub: HubProcess) -> AsyncGenerator[Client]:
    over_http = http_client(hub, query=f"?tools={TOOLS}")
    async with over_http if transport == "http" else stdio_adapter(hub.home, "--tools", TOOLS) as client:
        yield client


def assert_safe(tool: str, result: CallToolResult) -> None:
    text = text_of(result)
    text.encode()
    assert not HIDDEN.search(text), (tool, ascii(text[:2_000]))
    assert len(text) < MAX_RESULT_CHARACTERS, (tool, len(text), text[:300])
    assert not LONG_RUN.search(text), (tool, text[:300])
    if result.is_error:
        assert data_of(result)["error"] in CODES - {"INTERNAL_ERROR", "OUTCOME_UNKNOWN"}, (tool, text[:1_000])


async def assert_safe_calls(client: Client, tool: Tool[Any], calls: int, here: str, file: Path) -> None:
    for valid in VALID_CALLS[tool.name][:calls]:
        assert_safe("browser_navigate", await client.call_tool("browser_navigate", {"url": here}))
        for name, arguments in valid.before:
            assert_safe(name, await client.call_tool(name, dict(arguments)))
        known = {CURSOR: None, REF: None, FILE: str(file), HERE: here, SESSION: None}
        arguments = {
            name: [str(file)] if value == [FILE] else known.get(value, value) if isinstance(value, str) else value
            for name, value in valid.arguments.items()
        }
        arguments = {name: value for name, value in arguments.items() if value is not None}
        assert_safe(tool.name, await client.call_tool(tool.name, {"tab": "t1", "timeout_ms": 20_000, **arguments}))
        assert_safe("browser_dialog", await client.call_tool("browser_dialog", {"accept": False}))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("path", "transport", "calls"),
    [("/surrogates", "stdio", 2), ("/surrogates", "http", 1), ("/hidden", "http", 1), ("/long", "stdio", 1)],
)
async def test_every_tool_survives_hostile_text(
    hub_without_rate_limit: HubProcess, hostile: Site, tmp_path: Path, path: str, transport: str, calls: int
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("text")
    async with client_over(transport, hub_without_rate_limit) as client:
        for tool in REGISTRY:
            if tool.name != "browser_session":
                await assert_safe_calls(client, tool, calls, hostile.url(path), file)
        assert_safe("browser_session", await client.call_tool("browser_session", {}))
        for resource in (await client.list_resources()).resources:
            await client.read_resource(resource.uri)
        # The same client, with the tab that it opened first.
        rows = (await call(client, "browser_tabs"))["tabs"]
        assert "t1" in [row["tab"] for row in rows]


async def test_a_title_of_megabytes_is_cut_in_every_tool(hub_without_rate_limit: HubProcess, hostile: Site) -> None:
    async with http_client(hub_without_rate_limit, query=f"?tools={TOOLS}") as client:
        first = await call(client, "browser_navigate", url=hostile.url("/long"), wait_until="load")
        snapshot = await call(client, "browser_snapshot", max_tokens=500)
        tabs = await call(client, "browser_tabs")
        picture = data_of(await client.call_tool("browser_screenshot", {}))
        read = await client.call_tool("browser_read", {"max_tokens": 500})
        for title in (first["title"], snapshot["title"], tabs["tabs"][0]["title"], picture["title"]):
            assert title == f"{'T' * 199}…"
        for url in (first["url"], snapshot["url"], tabs["tabs"][0]["url"], picture["url"]):
            assert url.endswith("…")
            assert len(url) == 2_000
        assert len(text_of(read)) < 6_000


async def test_what_a_result_shows_without_hidden_characters_selects_its_element(
    hub_without_rate_limit: HubProcess, hostile: Site
) -> None:
    async with http_client(hub_without_rate_limit, query=f"?tools={TOOLS}") as client:
        await call(client, "browser_navigate", url=hostile.url("/hidden"), wait_until="load")
        snapshot = await call(client, "browser_snapshot")
        rows = [row["name"] for row in snapshot["elements"] if row["role"] == "button"]
        assert "\ufe0fAsk" in rows
        await call(client, "browser_click", element={"ref": ref_of(snapshot, "button", "\ufe0fAsk")})
        await call(client, "browser_dialog", accept=False)
        await call(client, "browser_click", element={"role": "button", "name": "\ufe0fAsk"})
        await call(client, "browser_dialog", accept=False)
        await call(client, "browser_select", element="#size", values=["Small\ufe0f"])
        clicks = await call(client, "browser_evaluate", expression="happened.filter(it => it === 'click').length")
        assert clicks["result"] == 2


async def test_the_text_that_is_read_has_no_surrogates_and_keeps_the_rest(
    hub_without_rate_limit: HubProcess, hostile: Site
) -> None:
    async with http_client(hub_without_rate_limit, query=f"?tools={TOOLS}") as client:
        page = await call(client, "browser_navigate", url=hostile.url("/surrogates"), wait_until="load")
        assert page["title"] == "\ufffdOne of everything"
        logs = await call(client, "browser_console", text="ready")
        assert logs["logs"][-1]["text"] == "ready \ufffd"
        asked = await call(client, "browser_click", element="#ask")
        assert asked["dialog"] == {"type": "prompt", "message": "\ufffdName?", "default": "\ufffdAda"}
        await call(client, "browser_dialog", accept=True)
        stored = await call(client, "browser_storage", kind="session")
        assert stored["items"] == [{"key": "k", "value": "\ufffd"}]


async def test_a_page_cannot_imitate_fields_of_a_result_in_its_text(
    hub_without_rate_limit: HubProcess, hostile: Site
) -> None:
    async with http_client(hub_without_rate_limit, query=f"?tools={TOOLS}") as client:
        await call(client, "browser_navigate", url=hostile.url("/forged"), wait_until="load")
        lines: list[str] = []
        for _ in range(2):
            result = await client.call_tool("browser_read", {"scope": "page"})
            data, text = text_of(result).split("\n---", 1)
            assert "approved" not in data
            assert "approval: approved" in page_text(result).splitlines()
            lines.append(text.splitlines()[0])
        assert lines[0] != lines[1]
