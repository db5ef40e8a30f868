"""The host's side of a request: who asks, with which permissions, and which browser is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import BrowserUnavailable, PermissionDenied, PilotError
from browser_pilot.guest_browser import which_browser
from browser_pilot.guests.browser import Captured, Cookie, Credentials
from browser_pilot.guests.context import CallContext
from browser_pilot.guests.fetch import Fetcher
from browser_pilot.guests.host import Host
from browser_pilot.guests.host_errors import HostRefusal, refusal_for
from browser_pilot.guests.manifest import PERMISSIONS, BrowserChoice
from browser_pilot.guests.permissions import GrantBook, Permits
from browser_pilot.guests.store import GuestStore
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.rules import Ruleset

from .making import DO, context, package

NEWS = "https://news.example/a"


class FakeBrowser:
    """Every page ends where ``lands`` says, and has one cookie."""

    def __init__(self, lands: Site | None = None) -> None:
        self.lands = lands or Site("https", "news.example", 443)
        self.read: list[str] = []
        self.logins: list[Credentials | None] = []

    async def capture(self, context: CallContext, wish: Any, *, guest: str, browser: str, recheck: Any) -> Captured:
        await recheck(self.lands)
        self.read.append(wish.url)
        cookies = [Cookie("a", "1", "x"), Cookie("b", "2", "x")] if wish.captureCookies else None
        return Captured(content="text", title="Title", url=wish.url, cookies=cookies)

    async def cookies(
        self, context: CallContext, wish: Any, *, guest: str, browser: str, recheck: Any
    ) -> Sequence[Cookie]:
        self.read.append(wish.domain)
        return [Cookie("a", "1", "x")]

    async def login(
        self,
        context: CallContext,
        wish: Any,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: str,
        recheck: Any,
    ) -> None:
        self.logins.append(credentials)


class World:
    def __init__(self, home: Path, browser: FakeBrowser) -> None:
        self.book = GrantBook(home)
        self.records: list[Mapping[str, object]] = []
        self.guest = GuestStore(home).put(package("1", secrets=[{"name": "USER"}, {"name": "WORD"}]), (DO,), source="")
        self.host = Host(
            browser=browser,
            permits=Permits(ApprovalQueue(), self.book),
            fetcher=Fetcher(Ruleset),
            secret_of=lambda _guest, name: {"USER": "ada"}.get(name),
            record=self.record,
        )

    async def record(self, guest: str, text: str, details: Mapping[str, object]) -> None:
        self.records.append({"guest": guest, **details})

    async def ask(self, method: str, context: CallContext | None, /, **params: Any) -> Mapping[str, Any]:
        return await self.host.serve(self.guest, context, method, params)

    def allow(self, site: str = "news.example") -> None:
        self.book.keep("testing", PERMISSIONS, site, "allow")


@pytest.fixture
def browser() -> FakeBrowser:
    return FakeBrowser()


@pytest.fixture
def world(home: Path, browser: FakeBrowser) -> World:
    return World(home, browser)


@pytest.mark.parametrize("given", [None, context(origin="")])
@pytest.mark.parametrize("method", ["browser.capturePage", "browser.getCookies", "http.get", "net.fetch", "nonsense"])
async def test_a_request_without_an_origin_is_refused(world: World, given: CallContext | None, method: str) -> None:
    world.allow()
    with pytest.raises(HostRefusal) as refused:
        await world.ask(method, given, url=NEWS, domain="news.example")

    assert refused.value.code == "ERR_PERMISSION_DENIED"


async def test_a_capture_gives_content_and_is_on_record(world: World) -> None:
    world.allow()
    answer = await world.ask("browser.capturePage", context(), url=NEWS, captureCookies=True)

    assert answer == {"content": "text", "title": "Title", "url": NEWS, "cookies": "a=1; b=2"}
    assert world.records[0]["guest"] == "testing"
    assert world.records[0]["method"] == "browser.capturePage"
    assert world.records[0]["origin"] == "client:test-1"
    assert world.records[0]["url"] == NEWS


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("browser.capturePage", {}, "ERR_INVALID_PARAMS"),
        ("browser.capturePage", {"url": 5}, "ERR_INVALID_PARAMS"),
        ("browser.capturePage", {"url": NEWS, "timeout": 10**9}, "ERR_INVALID_PARAMS"),
        ("browser.capturePage", {"url": "file:///etc/passwd"}, "ERR_PERMISSION_DENIED"),
        ("browser.capturePage", {"url": "https://other.example/"}, "ERR_PERMISSION_DENIED"),
        ("browser.getCookies", {"domain": "news.example", "openUrl": "https://evil.example/"}, "ERR_INVALID_PARAMS"),
        ("browser.ensureLogin", {"loginUrl": NEWS, "email": "a"}, "ERR_INVALID_PARAMS"),
        ("browser.ensureLogin", {"loginUrl": NEWS, "usernameSecret": "OTHER"}, "ERR_PERMISSION_DENIED"),
        ("browser.ensureLogin", {"loginUrl": NEWS, "usernameSecret": "WORD"}, "ERR_PERMISSION_DENIED"),
        ("http.get", {"url": "https://other.example/"}, "ERR_PERMISSION_DENIED"),
        ("net.fetch", {"url": NEWS}, "ERR_PERMISSION_DENIED"),
        ("net.fetch", {"url": NEWS, "method": "CONNECT"}, "ERR_INVALID_PARAMS"),
        ("browser.nonsense", {}, "ERR_UNKNOWN_METHOD"),
    ],
)
async def test_what_is_wrong_or_not_allowed_has_its_code(
    world: World, browser: FakeBrowser, method: str, params: dict[str, Any], code: str
) -> None:
    world.allow()
    with pytest.raises((HostRefusal, PilotError)) as refused:
        await world.ask(method, context(), **params)

    refusal = refusal_for(refused.value)
    assert refusal is not None
    assert refusal.code == code
    assert browser.read == []
    assert browser.logins == []


async def test_a_page_that_ends_on_another_site_needs_permission_for_that_one(
    world: World, browser: FakeBrowser
) -> None:
    world.allow()
    browser.lands = Site("https", "bank.example", 443)
    with pytest.raises(PermissionDenied):
        await world.ask("browser.capturePage", context(), url=NEWS)

    assert browser.read == []


async def test_a_read_only_client_sends_nothing(world: World) -> None:
    with pytest.raises(HostRefusal, match="read-only"):
        await world.ask("net.fetch", context(read_only=True), url=NEWS, method="POST")


@pytest.mark.parametrize(
    ("wanted", "setting", "paired", "expected"),
    [
        ("auto", "auto", True, "own"),
        ("auto", "auto", False, "managed"),
        ("managed", "auto", True, "managed"),
        ("own", "managed", True, "managed"),
        ("managed", "own", True, "own"),
    ],
)
def test_which_browser_is_used(wanted: BrowserChoice, setting: BrowserChoice, paired: bool, expected: str) -> None:
    assert which_browser(wanted, setting, paired=paired) == expected


def test_without_a_paired_chrome_there_is_none_to_use() -> None:
    with pytest.raises(BrowserUnavailable):
        which_browser("own", "auto", paired=False)
