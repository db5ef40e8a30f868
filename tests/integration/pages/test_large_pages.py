"""Results about very large pages: bounded, with a way to go on, and with what a picture shows."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult, ImageContent

from browser_pilot.page.snapshot.token_budget import estimate_tokens
from tests.clients import call, data_of, http_client, page_text, text_of
from tests.hub_process import HubProcess
from tests.sites import Site, serving

ROWS = 3_000
PAGE = f"""<!doctype html><title>Large</title><body style="margin:0"><script>
for (let n = 0; n < {ROWS}; n++)
  document.body.append(Object.assign(document.createElement('p'), {{textContent: 'Row ' + n}}));
</script>"""
LONG = "<!doctype html><title>Long</title><body style='margin:0'><div style='height:12000px;width:900px'>Long"


@pytest.fixture(scope="module")
def site() -> Generator[Site]:
    with serving({"/": PAGE, "/long": LONG}) as site:
        yield site


@pytest.mark.browser
async def test_the_dom_is_read_to_its_end_in_answers_within_the_token_budget(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full&max_tokens=4000") as client:
        await call(client, "browser_navigate", url=site.url())
        lines: list[str] = []
        arguments: dict[str, int] = {"max_nodes": 2_000}
        for _ in range(100):
            result = await client.call_tool("browser_dom", arguments)
            assert isinstance(result, CallToolResult)
            assert estimate_tokens(text_of(result)) <= 4_100
            lines += page_text(result).split("\n")
            data = data_of_first(result)
            assert "note" not in data
            if "cursor" not in data:
                break
            assert data["nodes_left"] == ROWS - len(lines)
            arguments = {"max_nodes": 2_000, "cursor": int(data["cursor"])}
        assert len(lines) == ROWS
        assert all(line.startswith(f'[{n}] p "Row {n}"') for n, line in enumerate(lines))
        await call(client, "browser_click", element={"index": ROWS - 1})


def data_of_first(result: CallToolResult) -> dict[str, Any]:
    return data_of(CallToolResult(content=result.content[:1]))


@pytest.mark.browser
async def test_a_page_that_changed_between_two_parts_of_the_dom_is_noted(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full&max_tokens=1000") as client:
        await call(client, "browser_navigate", url=site.url())
        first = await client.call_tool("browser_dom", {})
        assert isinstance(first, CallToolResult)
        await call(client, "browser_evaluate", expression="document.querySelector('p').remove()")
        second = await client.call_tool("browser_dom", {"cursor": data_of_first(first)["cursor"]})
        assert isinstance(second, CallToolResult)
        assert "changed" in str(data_of_first(second)["note"])


@pytest.mark.browser
async def test_a_screenshot_reports_size_scale_time_and_viewport_points(hub: HubProcess, site: Site) -> None:
    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url("/long"))
        whole = await client.call_tool("browser_screenshot", {"full_page": True})
        assert isinstance(whole, CallToolResult)
        images = [block for block in whole.content if isinstance(block, ImageContent)]
        data = data_of(whole)
        assert len(images) == len(data["pictures"]) > 1
        assert all(picture["scale"] >= 0.65 for picture in data["pictures"])
        assert "scale" in data["viewport_point"]
        one = await call(client, "browser_screenshot")
        assert (one["width"], one["height"], one["scale"], one["x"], one["y"]) == (1280, 720, 1, 0, 0)
        assert one["taken_at"][:2] == "20"


@pytest.mark.browser
async def test_a_saved_screenshot_has_full_resolution(hub: HubProcess, site: Site) -> None:
    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url("/long"))
        saved = await call(client, "browser_screenshot", full_page=True, path="long.png")
        assert sum(picture["height"] for picture in saved["pictures"]) == 12_000
        assert [Path(picture["path"]).name for picture in saved["pictures"]] == ["long-1.png", "long-2.png"]
        assert all(Path(picture["path"]).stat().st_size == picture["bytes"] for picture in saved["pictures"])
