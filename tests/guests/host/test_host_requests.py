"""The host's side of a request: caller, permissions, and the browser that is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.errors import BrowserUnavailable, PermissionDenied, PilotError
from browser_pilot.gateway.guest_browser import choose_engine
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.host.browser_api import CapturedPage, Cookie, Credentials
from browser_pilot.guests.host.fetch import Fetcher
from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.host.host_errors import HostError, host_error_for
from browser_pilot.guests.host.host_requests import Host
from browser_pilot.guests.host.permissions import PermissionChecker
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.installed.manifest import PERMISSIONS, BrowserChoice
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.rules import Ruleset
from tests.guests.guest_factory import DO, context, package

NEWS = "https://news.example/a"


class FakeBrowser:
    """Every page loads at the site ``loaded_site`` and has cookies."""

    def __init__(self, loaded_site: Site | None = None) -> None:
        self.loaded_site = loaded_site or Site("https", "news.example", 443)
        self.read: list[str] = []
        self.logins: list[Credentials | None] = []

    async def capture(
        self, context: CallContext, request: Any, *, guest: str, browser: str, check_site: Any
    ) -> CapturedPage:
        await check_site(self.loaded_site)
        self.read.append(request.url)
        cookies = [Cookie("a", "1", "x"), Cookie("b", "2", "x")] if request.captureCookies else None
        return CapturedPage(content="text", title="Title", url=request.url, cookies=cookies)

    async def cookies(
        self, context: CallContext, request: Any, *, guest: str, browser: str, check_site: Any
    ) -> Sequence[Cookie]:
        self.read.append(request.domain)
        return [Cookie("a", "1", "x")]

    async def login(
        self,
        context: CallContext,
        request: Any,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: str,
        check_site: Any,
    ) -> None:
        self.logins.append(credentials)


class HostSetup:
    def __init__(self, home: Path, browser: FakeBrowser) -> None:
        self.grants = GrantStore(home)
        self.records: list[Mapping[str, object]] = []
        self.guest = GuestStore(home).install(
            package("1", secrets=[{"name": "USER"}, {"name": "WORD"}]), (DO,), source=""
        )
        self.host = Host(
            browser=browser,
            permissions=PermissionChecker(ApprovalQueue(), self.grants),
            fetcher=Fetcher(Ruleset),
            secret_of=lambda _guest, name: {"USER": "ada"}.get(name),
            record=self.record,
        )

    async def record(self, guest: str, text: str, details: Mapping[str, object]) -> None:
        self.records.append({"guest": guest, **details})

    async def request(self, method: str, context: CallContext | None, /, **params: Any) -> Mapping[str, Any]:
        return await self.host.handle(self.guest, context, method, params)

    def allow(self, site: str = "news.example") -> None:
        self.grants.save(self.guest.identity, PERMISSIONS, site, "allow")


@pytest.fixture
def browser() -> FakeBrowser:
    return FakeBrowser()


@pytest.fixture
def setup(home: Path, browser: FakeBrowser) -> HostSetup:
    return HostSetup(home, browser)


@pytest.mark.parametrize("given", [None, context(origin="")])
@pytest.mark.parametrize("method", ["browser.capturePage", "browser.getCookies", "http.get", "net.fetch", "nonsense"])
async def test_a_request_without_an_origin_is_refused(setup: HostSetup, given: CallContext | None, method: str) -> None:
    setup.allow()
    with pytest.raises(HostError) as refused:
        await setup.request(method, given, url=NEWS, domain="news.example")

    assert refused.value.code == "ERR_PERMISSION_DENIED"


async def test_a_capture_returns_content_and_is_recorded(setup: HostSetup) -> None:
    setup.allow()
    result = await setup.request("browser.capturePage", context(), url=NEWS, captureCookies=True)

    assert result == {"content": "text", "title": "Title", "url": NEWS, "cookies": "a=1; b=2"}
    assert setup.records[0]["guest"] == "testing"
    assert setup.records[0]["method"] == "browser.capturePage"
    assert setup.records[0]["origin"] == "client:test-1"
    assert setup.records[0]["url"] == NEWS


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
async def test_an_invalid_or_forbidden_request_has_its_error_code(
    setup: HostSetup, browser: FakeBrowser, method: str, params: dict[str, Any], code: str
) -> None:
    setup.allow()
    with pytest.raises((HostError, PilotError)) as refused:
        await setup.request(method, context(), **params)

    host_error = host_error_for(refused.value)
    assert host_error is not None
    assert host_error.code == code
    assert browser.read == []
    assert browser.logins == []


async def test_a_page_that_redirects_to_another_site_needs_permission_for_it(
    setup: HostSetup, browser: FakeBrowser
) -> None:
    setup.allow()
    browser.loaded_site = Site("https", "bank.example", 443)
    with pytest.raises(PermissionDenied):
        await setup.request("browser.capturePage", context(), url=NEWS)

    assert browser.read == []


async def test_a_read_only_client_sends_no_post(setup: HostSetup) -> None:
    with pytest.raises(HostError, match="read-only"):
        await setup.request("net.fetch", context(read_only=True), url=NEWS, method="POST")


@pytest.mark.parametrize(
    ("manifest", "setting", "paired", "expected"),
    [
        ("auto", "auto", True, "own"),
        ("auto", "auto", False, "managed"),
        ("managed", "auto", True, "managed"),
        ("own", "managed", True, "managed"),
        ("managed", "own", True, "own"),
    ],
)
def test_which_engine_is_used(manifest: BrowserChoice, setting: BrowserChoice, paired: bool, expected: str) -> None:
    assert choose_engine(manifest, setting, paired=paired) == expected


def test_the_users_chrome_is_unavailable_if_none_is_paired() -> None:
    with pytest.raises(BrowserUnavailable):
        choose_engine("own", "auto", paired=False)
