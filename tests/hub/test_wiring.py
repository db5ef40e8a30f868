"""The parts of a hub put together, without starting them: what reaches what."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from browser_pilot.config.settings import load_settings
from browser_pilot.errors import SettingsError
from browser_pilot.hub.early_start import ManagedBrowsers
from browser_pilot.hub.wiring import build_core, build_health, build_mcp, build_ui
from browser_pilot.mcp_server.client_registry import STDIO
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule
from tests.waiting import eventually


class Parts:
    def __init__(self, home: Path) -> None:
        self.home = home
        load = partial(load_settings, home=home, environ={})
        settings = load()
        self.core = build_core(home, settings, load, ManagedBrowsers(home, settings))
        self.mcp = build_mcp(self.core)
        self.health = build_health(self.core, self.mcp.clients)
        self.dashboard = build_ui(self.core, self.mcp.clients, self.health)

    def configure(self, text: str) -> None:
        (self.home / "config.toml").write_text(text)


@pytest.fixture
async def parts(tmp_path: Path) -> Parts:
    return Parts(tmp_path)


async def test_changed_settings_reach_clients_whatever_reloads_them(parts: Parts) -> None:
    client = parts.mcp.clients.add({"format": "json"}, kind=STDIO)
    parts.configure("[tools]\nmax_tokens = 500")
    parts.core.config.reload()
    assert (client.settings.tools.max_tokens, client.settings.tools.format) == (500, "json")
    # The rule of an "always" reloads too, and may be the first to see an edit of the file.
    parts.configure("[tools]\nmax_tokens = 600")
    parts.core.config.put_rule(Rule(pattern=Pattern("shop.example"), read="deny"))
    assert client.settings.tools.max_tokens == 600


async def test_an_unknown_tool_profile_is_refused_at_the_start_and_ignored_later(parts: Parts, tmp_path: Path) -> None:
    parts.configure('[tools]\nprofile = "everything"')
    assert parts.core.config.reload() is not None
    assert parts.core.config.settings.tools.profile == "standard"
    with pytest.raises(SettingsError, match="everything"):
        Parts(tmp_path)


async def test_a_user_with_a_connected_browser_watches_the_approval_queue(parts: Parts) -> None:
    ui, approvals = parts.core.browsers.user_chrome.ui, parts.core.approvals
    assert approvals.watcher_count == 0
    ui.presence_changed(connected=True)
    ui.presence_changed(connected=True)
    await eventually(lambda: approvals.watcher_count == 1)
    ui.presence_changed(connected=False)
    await eventually(lambda: approvals.watcher_count == 0)


async def test_the_side_panel_serves_the_extensions_pages(parts: Parts) -> None:
    policy = await parts.core.browsers.user_chrome.ui.handle(
        "b1", "set_site_level", {"url": "https://shop.example/", "level": "block"}
    )
    assert policy["site"]["level"] == "block"
    (rule,) = parts.core.config.user_rules
    assert str(rule.pattern) == "shop.example"


async def test_a_client_that_leaves_is_closed_once(parts: Parts) -> None:
    client = parts.mcp.clients.add({}, kind=STDIO)
    session = parts.core.hosting.sessions.find(client, None)
    assert len(parts.core.hosting.sessions) == 1
    await asyncio.gather(parts.mcp.clients.remove(client), parts.mcp.clients.remove(client))
    assert len(parts.core.hosting.sessions) == 0
    assert session.id not in parts.core.hosting.sessions.ids_of(client)


async def test_the_health_report_checks_every_part(parts: Parts) -> None:
    report = parts.health.data()
    checks = cast("dict[str, object]", report["parts"])
    assert set(checks) == {"hub", "browsers", "policy", "log", "approvals", "egress", "secrets"}
    assert report["status"] == "degraded", "the egress proxy has not been started"
