"""``browser_session`` through real clients: options, ownership and selection of sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from mcp.client import Client

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser
FULL = "?tools=full"
EMULATION = """({
    ua: navigator.userAgent, lang: navigator.language, dark: matchMedia('(prefers-color-scheme: dark)').matches,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone, size: [innerWidth, innerHeight],
    touch: 'ontouchstart' in window
})"""


async def create(client: Client, **options: Any) -> str:
    return (await call(client, "browser_session", action="create", **options))["session"]


async def value(client: Client, expression: str, **where: str) -> Any:
    return (await call(client, "browser_evaluate", expression=expression, **where))["result"]


async def test_a_session_has_the_requested_options(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        options = {"viewport": [800, 600], "user_agent": "Mine/1", "locale": "de-DE", "color_scheme": "dark"}
        await create(client, **options, timezone="Asia/Tokyo")
        await call(client, "browser_navigate", url=site.url())
        assert await value(client, EMULATION) == {
            "ua": "Mine/1",
            "lang": "de-DE",
            "dark": True,
            "zone": "Asia/Tokyo",
            "size": [800, 600],
            "touch": False,
        }
        await create(client, device="iPhone 15")
        await call(client, "browser_navigate", url=site.url())
        phone = await value(client, EMULATION)
        assert "iPhone" in phone["ua"] and phone["touch"] is True


async def test_a_session_reaches_its_allowed_domains_only(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        await create(client, allowed_domains=["localhost"])
        error = await fail(client, "browser_navigate", url=site.url())
        assert error["error"] == "DOMAIN_DENIED"
        await call(client, "browser_navigate", url=site.url().replace("127.0.0.1", "localhost"))


async def test_the_list_says_when_and_how_each_session_was_made(hub_without_rate_limit: HubProcess) -> None:
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        before = datetime.now().astimezone().replace(microsecond=0)
        viewport = {"width": 800, "height": "600"}
        limited = await create(client, viewport=viewport, allowed_domains=["example.com", "*.example.org"])
        phone = await create(client, device="iPhone 15")
        rows = {row["session"]: row for row in (await call(client, "browser_session"))["sessions"]}
        assert rows[limited]["viewport"] == "800x600"
        assert rows[limited]["allowed_domains"] == "example.com *.example.org"
        assert before <= datetime.fromisoformat(rows[limited]["created"]) <= datetime.now().astimezone()
        assert rows[phone]["viewport"] == "iPhone 15"
        assert rows[phone]["allowed_domains"] == ""


async def test_the_timeout_of_a_session_applies_to_its_calls(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        await create(client, timeout_ms=700)
        await call(client, "browser_navigate", url=site.url(), timeout_ms=20_000)
        error = await fail(client, "browser_wait_for", text="never")
        assert error["error"] == "TIMEOUT" and "700 ms" in error["message"]


async def test_a_tab_id_identifies_its_session(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        await call(client, "browser_navigate", url=site.url("/?first"))
        second = await create(client)
        opened = await call(client, "browser_navigate", url=site.url("/?second"))
        assert opened["tab"] == "t2"
        assert await value(client, "location.search") == "?second"
        assert await value(client, "location.search", tab="t1") == "?first"
        assert await value(client, "location.search", session=second) == "?second"
        listed = await call(client, "browser_session")
        assert [(row["tabs"], row["current"]) for row in listed["sessions"]] == [("t1", False), ("t2", True)]
        resources = (await client.list_resources()).resources
        assert {resource.uri.split("/")[3] for resource in resources} == {"t1", "t2"}
        first = listed["sessions"][0]["session"]
        assert (await call(client, "browser_session", action="use", session=first))["tab"] == "t1"
        assert await value(client, "location.search") == "?first"
        closed = await call(client, "browser_session", action="close")
        assert closed == {"closed": first, "session": second}
        assert await value(client, "location.search") == "?second"
        gone = await fail(client, "browser_snapshot", session=first)
        assert gone["error"] == "NO_SESSION" and "was closed" in gone["message"]
        assert {uri.split("/")[3] for uri in [one.uri for one in (await client.list_resources()).resources]} == {"t2"}


async def test_a_session_id_is_useless_to_another_client(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with (
        http_client(hub_without_rate_limit, query=FULL) as mine,
        http_client(hub_without_rate_limit, query=FULL) as other,
    ):
        session = await create(mine)
        await call(mine, "browser_navigate", url=site.url())
        for tool, arguments in (
            ("browser_snapshot", {}),
            ("browser_tabs", {}),
            ("browser_navigate", {"url": site.url()}),
            ("browser_session", {"action": "use"}),
            ("browser_session", {"action": "close"}),
            ("browser_session", {"action": "save", "profile": "stolen"}),
        ):
            assert (await fail(other, tool, session=session, **arguments))["error"] == "NO_SESSION"
        assert await value(mine, "location.pathname") == "/"


async def test_a_profile_restores_storage_and_tabs(hub_without_rate_limit: HubProcess, site: Site) -> None:
    store = """new Promise(done => {
        localStorage.kept = 'local'; document.cookie = 'kept=cookie; max-age=1000';
        const open = indexedDB.open('kept', 1);
        open.onupgradeneeded = () => open.result.createObjectStore('things').put('indexed', 'one');
        open.onsuccess = () => { open.result.close(); done(true); };
    })"""
    read = """new Promise(done => {
        const open = indexedDB.open('kept', 1);
        open.onsuccess = () => {
            const request = open.result.transaction('things').objectStore('things').get('one');
            request.onsuccess = () => done([localStorage.kept, document.cookie, request.result]);
        };
    })"""
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        await call(client, "browser_navigate", url=site.url("/?a"))
        await call(client, "browser_evaluate", expression=store)
        await call(client, "browser_tabs", action="open", url=site.url("/?b"))
        assert (await call(client, "browser_session", action="save", profile="login"))["tabs"] == 2
    async with http_client(hub_without_rate_limit, query=FULL) as later:
        made = await call(later, "browser_session", action="create", profile="login")
        assert [row["url"] for row in made["tabs"]] == [site.url("/?a"), site.url("/?b")]
        assert await value(later, read) == ["local", "kept=cookie", "indexed"]


async def test_a_session_starts_with_its_storage_state(hub_without_rate_limit: HubProcess, site: Site) -> None:
    origin = {"origin": site.url().rstrip("/"), "localStorage": [{"name": "given", "value": "yes"}]}
    async with http_client(hub_without_rate_limit, query=FULL) as client:
        await create(client, storage_state={"cookies": [], "origins": [origin]})
        await call(client, "browser_navigate", url=site.url())
        assert await value(client, "localStorage.given") == "yes"
