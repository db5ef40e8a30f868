"""The next result of any tool reports what happened in a tab meanwhile, such as a dialog that was dismissed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from mcp_types import TextContent
from playwright.async_api import Page

from browser_pilot.config.settings import Settings
from browser_pilot.mcp_server.server import run_tool
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, CallRequest, Tool, ToolRegistry
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.actions.dialogs import Dialogs
from browser_pilot.page.tab import Tab
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.registry import SessionRegistry
from browser_pilot.sessions.reload_notices import ReloadNotices
from browser_pilot.sessions.session import Session

from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def say_little(_: CallRequest, __: TabArguments) -> ToolResult:
    return ToolResult({"changes": "none"})


LITTLE = Tool("browser_little", "", "", TabArguments, "read", EVERYWHERE, handler=say_little)


async def test_a_dismissed_dialog_is_reported_once_with_the_next_result(page: Page, site: Site) -> None:
    tab = Tab("t7", page)
    tab.dialogs = Dialogs(page, timeout_seconds=0.3)
    await page.goto(site.add("page", "<p>Text</p><script>setTimeout(() => { confirm('Hi'); gone = true })</script>"))
    await page.wait_for_function("window.gone")

    session: Any = SimpleNamespace(tabs=lambda: [tab], _recovery=SimpleNamespace(notices=ReloadNotices()))
    session.take_notices = lambda: Session.take_notices(session)

    sessions: Any = SimpleNamespace(of=lambda _client: [session])  # pyright: ignore[reportUnknownLambdaType]
    sessions.take_notices = lambda client: SessionRegistry.take_notices(sessions, client)  # pyright: ignore
    parts: Any = SimpleNamespace(sessions=sessions, redactor=Redactor())
    client = cast(Client, SimpleNamespace(settings=Settings(), take_notices=tuple))
    texts: list[str] = []
    for _ in range(2):
        result = await run_tool(ToolRegistry([LITTLE]), parts, client, "browser_little", {})
        texts += [block.text for block in result.content if isinstance(block, TextContent)]
    assert "Tab t7: A dialog (confirm: 'Hi')" in texts[0]
    assert texts[1] == "changes: none"
