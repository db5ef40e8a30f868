"""A page that requires approval to be read is not described after an action that led to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import call, http_client
from tests.conftest import HubWith
from tests.sites import serving

pytestmark = pytest.mark.browser

SETTINGS = '[tools]\nprofile = "full"\n[policy.domains."localhost"]\nread = "ask"\n'
PRIVATE = "<!doctype html><html lang=en><title>Private title</title><h1>Private heading</h1>"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_evaluate", {"expression": "location.href = document.links[0].href"}),
        ("browser_click", {"element": "#go"}),
        ("browser_press", {"key": "Enter", "element": "#go"}),
    ],
)
async def test_a_page_that_requires_approval_is_not_described_after_an_action(
    hub_with: HubWith, tool: str, arguments: dict[str, Any]
) -> None:
    hub = hub_with(SETTINGS)
    with serving({"/private": PRIVATE}) as site:
        address = site.url("/private?token=1").replace("127.0.0.1", "localhost")
        site.pages["/"] = f"<!doctype html><title>Start</title><a id=go href='{address}'>Go</a>"
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url(), snapshot=True)
            result = await call(client, tool, **arguments)
            assert result["page"] == "requires approval"
            assert result["site"] == f"localhost:{site.port}"
            tabs = await call(client, "browser_tabs")
            selected = await call(client, "browser_tabs", action="select", tab="t1")
    for shown in (result, tabs, selected):
        assert "private" not in str(shown).lower()
        assert "token" not in str(shown)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_evaluate", {"expression": "void open(document.links[0].href)"}),
        ("browser_click", {"element": "#go"}),
        ("browser_press", {"key": "Enter", "element": "#go"}),
    ],
)
async def test_a_new_tab_that_requires_approval_is_reported_with_its_origin_only(
    hub_with: HubWith, tool: str, arguments: dict[str, Any]
) -> None:
    hub = hub_with(SETTINGS)
    with serving({"/private": PRIVATE}) as site:
        address = site.url("/private?token=1").replace("127.0.0.1", "localhost")
        site.pages["/"] = f"<!doctype html><title>Start</title><a id=go target=_blank href='{address}'>Go</a>"
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url(), snapshot=True)
            result = await call(client, tool, **arguments)
            tabs = await call(client, "browser_tabs")
    assert [tab["url"] for tab in result["new_tabs"]] == [f"http://localhost:{site.port}"]
    for shown in (result, tabs):
        assert "private" not in str(shown).lower() and "token" not in str(shown)
