"""The most common tools, through a real MCP client in both protocol revisions."""

from __future__ import annotations

import pytest

from tests.clients import ERAS, call, fail, http_client, ref_of
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_logs_in_and_sees_the_next_page(hub: HubProcess, site: Site, era: str) -> None:
    async with http_client(hub, era=era, query=f"?client={era}") as client:
        opened = await call(client, "browser_navigate", url=site.url())
        assert opened["title"] == "Login - Example App"
        page = await call(client, "browser_snapshot")
        await call(client, "browser_type", element=ref_of(page, "textbox", "Email"), text="ada@example.com")
        await call(client, "browser_type", element='role=textbox[name="Password"]', text="correct horse")
        await call(client, "browser_click", element={"role": "button", "name": "Sign in"})
        after = await call(client, "browser_snapshot")
        assert after["title"] == "Signed in"
        names = [row["name"] for row in after["elements"]]
        assert "Hello ada@example.com" in names
        assert "13 characters" in names


async def test_an_agent_logs_in_with_the_minimal_profile(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=minimal") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"browser_navigate", "browser_snapshot", "browser_interact", "browser_console"}
        await call(client, "browser_navigate", url=site.url())
        page = await call(client, "browser_snapshot")
        email = ref_of(page, "textbox", "Email")
        await call(client, "browser_interact", action="type", element=email, text="ada@example.com")
        after = await call(client, "browser_interact", action="press", key="Enter", element=email, snapshot=True)
        assert after["success"] is True
        assert after["title"] == "Signed in"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("browser_navigate", {}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"url": "not a url"}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"url": "https://"}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"url": 7}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"url": "file:///etc/passwd"}, "DOMAIN_DENIED"),
        ("browser_navigate", {"url": "javascript:alert(1)"}, "DOMAIN_DENIED"),
        ("browser_navigate", {"url": "data:text/html,hi"}, "DOMAIN_DENIED"),
        ("browser_navigate", {"url": "chrome://settings"}, "DOMAIN_DENIED"),
        ("browser_navigate", {"url": "about:config"}, "DOMAIN_DENIED"),
        ("browser_navigate", {"url": "http://127.0.0.1:1/"}, "NAVIGATION_FAILED"),
        ("browser_navigate", {"action": "sideways"}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"action": "back", "url": "http://a.example/"}, "INVALID_ARGUMENT"),
        ("browser_navigate", {"url": "about:blank", "timeout_ms": 0}, "INVALID_ARGUMENT"),
        ("browser_tabs", {"action": "select"}, "INVALID_ARGUMENT"),
        ("browser_tabs", {"action": "select", "tab": "t99"}, "NO_TAB"),
        ("browser_tabs", {"action": "close", "tab": "t99"}, "NO_TAB"),
        ("browser_snapshot", {"tab": "t99"}, "NO_TAB"),
        ("browser_snapshot", {"session": "not-mine"}, "NO_SESSION"),
        ("browser_click", {}, "INVALID_ARGUMENT"),
        ("browser_click", {"element": ""}, "INVALID_ARGUMENT"),
        ("browser_click", {"element": {"foo": "bar"}}, "INVALID_ARGUMENT"),
        ("browser_click", {"element": "e12345"}, "STALE_REF"),
        ("browser_click", {"element": "#nothing-here"}, "ELEMENT_NOT_FOUND"),
        ("browser_click", {"element": "input"}, "ELEMENT_AMBIGUOUS"),
        ("browser_click", {"element": "e1", "count": 9}, "INVALID_ARGUMENT"),
        ("browser_click", {"element": "e1", "button": "upper"}, "INVALID_ARGUMENT"),
        ("browser_type", {"element": "e1"}, "INVALID_ARGUMENT"),
        ("browser_press", {"key": "NoSuchKey"}, "INVALID_ARGUMENT"),
        ("browser_screenshot", {"quality": 50}, "INVALID_ARGUMENT"),
        ("browser_screenshot", {"element": "button", "full_page": True}, "INVALID_ARGUMENT"),
        ("browser_screenshot", {"path": "../../escape.png"}, "INVALID_ARGUMENT"),
        ("browser_nonsense", {}, "INVALID_ARGUMENT"),
    ],
)
async def test_invalid_arguments_get_a_typed_error(
    hub: HubProcess, site: Site, tool: str, arguments: dict[str, object], code: str
) -> None:
    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url())
        error = await fail(client, tool, **arguments)
        assert error["error"] == code
        assert error["message"]
        assert error["retryable"] in (True, False)
        assert error["tool"] == tool


async def test_tabs_open_select_and_close(hub: HubProcess, site: Site) -> None:
    async with http_client(hub) as client:
        first = await call(client, "browser_navigate", url=site.url())
        second = await call(client, "browser_tabs", action="open", url=site.url("/?second"))
        assert first["tab"] != second["tab"]
        listed = await call(client, "browser_tabs")
        assert [(row["tab"], row["current"]) for row in listed["tabs"]] == [
            (first["tab"], False),
            (second["tab"], True),
        ]
        await call(client, "browser_tabs", action="select", tab=first["tab"])
        assert (await call(client, "browser_snapshot"))["url"] == site.url()
        remaining = await call(client, "browser_tabs", action="close", tab=first["tab"])
        assert [row["tab"] for row in remaining["tabs"]] == [second["tab"]]
        assert (await call(client, "browser_snapshot"))["url"] == site.url("/?second")


async def test_back_and_forward_move_through_the_history(hub: HubProcess, site: Site) -> None:
    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url("/?1"))
        await call(client, "browser_navigate", url=site.url("/?2"))
        assert (await call(client, "browser_navigate", action="back"))["url"] == site.url("/?1")
        assert (await call(client, "browser_navigate", action="forward"))["url"] == site.url("/?2")
        assert (await call(client, "browser_navigate", action="reload"))["url"] == site.url("/?2")
        assert (await fail(client, "browser_navigate", action="forward"))["error"] == "NAVIGATION_FAILED"


async def test_read_only_mode_allows_a_snapshot_and_refuses_a_click(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?read_only=true") as client:
        await call(client, "browser_navigate", url=site.url())
        await call(client, "browser_snapshot")
        error = await fail(client, "browser_click", element="button")
        assert error["error"] == "READ_ONLY"


async def test_a_screenshot_is_returned_as_an_image_or_saved(hub: HubProcess, site: Site) -> None:
    from mcp_types import ImageContent

    async with http_client(hub) as client:
        await call(client, "browser_navigate", url=site.url())
        result = await client.call_tool("browser_screenshot", {"format": "jpeg", "quality": 40})
        image = next(block for block in result.content if isinstance(block, ImageContent))
        assert image.mime_type == "image/jpeg"
        saved = await call(client, "browser_screenshot", path="login.png")
        assert (hub.home / "screenshots" / "login.png").read_bytes().startswith(b"\x89PNG")
        assert saved["path"] == str(hub.home / "screenshots" / "login.png")
