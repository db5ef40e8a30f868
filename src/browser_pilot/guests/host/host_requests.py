"""Handles host requests of guests: check the caller, check permissions, execute. The same for both kinds of guest.

A request without an origin is refused, whatever its method. Permissions are checked for the requested site, and again
for the site of the loaded page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from browser_pilot.guests.call_context import CallContext, RecordGuestNote, discard_note
from browser_pilot.guests.installed.guest_store import InstalledGuest
from browser_pilot.guests.installed.manifest import GuestPermission
from browser_pilot.policy.hosts import Site, parse_address
from browser_pilot.policy.patterns import any_covers

from .browser_api import CapturedPage, Cookie, Credentials, GuestBrowser
from .fetch import Fetcher
from .host_api import CapturePage, EnsureLogin, Fetch, GetCookies, HttpGet, LoginThenCapture, parse_params
from .host_errors import HostError
from .permissions import PermissionChecker

# The value of a guest's secret (guest, name); None when the user has not set it.
SecretOf = Callable[[str, str], str | None]

CAPTURE_PERMISSIONS: tuple[GuestPermission, ...] = ("browser:tabs.create", "browser:activeTab.read")
COOKIE_PERMISSIONS: tuple[GuestPermission, ...] = ("browser:tabs.create", "browser:cookies.read")
LOGIN_PERMISSIONS: tuple[GuestPermission, ...] = ("browser:tabs.create", "browser:login")


class Host:
    def __init__(
        self,
        *,
        browser: GuestBrowser,
        permissions: PermissionChecker,
        fetcher: Fetcher,
        secret_of: SecretOf,
        record: RecordGuestNote = discard_note,
    ) -> None:
        self._record = record
        self._browser = browser
        self._permissions = permissions
        self._fetcher = fetcher
        self._secret_of = secret_of

    async def handle(
        self, guest: InstalledGuest, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The result. Raises ``HostError`` or ``PilotError``."""
        if context is None or not context.origin:
            raise HostError("ERR_PERMISSION_DENIED", "This request belongs to no call, so it has no origin.")
        details = {
            "method": method[:100],
            "origin": context.origin,
            "tab": context.tab_id,
            "tool": context.tool,
            "url": _url_in(params),
        }
        await self._record(guest.name, "A guest sent a host request", details)
        match method:
            case "browser.capturePage":
                return await self._capture(guest, context, parse_params(CapturePage, params))
            case "browser.getCookies":
                return await self._cookies(guest, context, parse_params(GetCookies, params))
            case "browser.ensureLogin":
                return await self._login(guest, context, parse_params(EnsureLogin, params))
            case "browser.loginThenCapture":
                login = parse_params(LoginThenCapture, params)
                await self._login(guest, context, login)
                return await self._capture(guest, context, parse_params(CapturePage, {**params, "timeout": 15_000}))
            case "http.get":
                return await self._get(guest, context, parse_params(HttpGet, params))
            case "net.fetch":
                return await self._fetch(guest, context, parse_params(Fetch, params))
            case _:
                raise HostError("ERR_UNKNOWN_METHOD", f"The host has no method {method[:100]!r}.")

    async def _capture(self, guest: InstalledGuest, context: CallContext, request: CapturePage) -> Mapping[str, Any]:
        needed = (*CAPTURE_PERMISSIONS, "browser:cookies.read") if request.captureCookies else CAPTURE_PERMISSIONS

        address = parse_address(request.url)

        async def check(site: Site) -> None:
            await self._require(guest, context, needed, site, what=f"It wants to read {address.href}")

        await check(address.site)
        captured = await self._browser.capture(
            context, request, guest=guest.name, browser=guest.manifest.browser, check_site=check
        )
        return _captured_data(captured)

    async def _cookies(self, guest: InstalledGuest, context: CallContext, request: GetCookies) -> Mapping[str, Any]:
        domain = parse_address(request.domain.lstrip(".")).site
        site = parse_address(request.openUrl).site if request.openUrl else domain
        if not (site.host == domain.host or site.host.endswith(f".{domain.host}")):
            raise HostError("ERR_INVALID_PARAMS", "openUrl must be a page of the domain.")

        async def check(found: Site) -> None:
            await self._require(guest, context, COOKIE_PERMISSIONS, found, what=f"It wants the cookies of {found}.")

        await check(site)
        cookies = await self._browser.cookies(
            context, request, guest=guest.name, browser=guest.manifest.browser, check_site=check
        )
        return {"cookies": cookie_header(cookies)}

    async def _login(self, guest: InstalledGuest, context: CallContext, request: EnsureLogin) -> Mapping[str, Any]:
        address = parse_address(request.loginUrl)

        async def check(site: Site) -> None:
            await self._require(guest, context, LOGIN_PERMISSIONS, site, what=f"It wants to sign in at {address.href}")

        await check(address.site)
        credentials = self._credentials(guest, request)
        await self._browser.login(
            context, request, credentials, guest=guest.name, browser=guest.manifest.browser, check_site=check
        )
        return {"ok": True}

    def _credentials(self, guest: InstalledGuest, request: EnsureLogin) -> Credentials | None:
        username = self._credential(guest, request.usernameSecret, request.email)
        password = self._credential(guest, request.passwordSecret, request.password)
        if username is None and password is None:
            return None
        if username is None or password is None:
            raise HostError("ERR_INVALID_PARAMS", "Give a user name and a password, or neither.")
        return Credentials(username, password)

    def _credential(self, guest: InstalledGuest, secret: str | None, text: str | None) -> str | None:
        if secret is None:
            return text
        if secret not in {required.name for required in guest.manifest.secrets}:
            raise HostError("ERR_PERMISSION_DENIED", f"{secret[:80]!r} is not a secret of the manifest.")
        value = self._secret_of(guest.identity, secret)
        if value is None:
            raise HostError("ERR_PERMISSION_DENIED", f"The user has not set the secret {secret}.")
        return value

    async def _get(self, guest: InstalledGuest, context: CallContext, request: HttpGet) -> Mapping[str, Any]:
        address = parse_address(request.url)
        site = address.site
        if not any_covers(guest.manifest.hosts, site):
            await self._require(guest, context, ("net:fetch",), site, what=f"It wants to get {address.href}")
        response = await self._fetcher.fetch(
            Fetch(url=request.url, headers=list(request.headers.items())),
            allowed_hosts=guest.manifest.hosts,
            allowed_once=site,
        )
        return {"status": response.status, "statusText": response.status_text, "body": response.text}

    async def _fetch(self, guest: InstalledGuest, context: CallContext, request: Fetch) -> Mapping[str, Any]:
        if context.read_only and request.method not in ("GET", "HEAD", "OPTIONS"):
            raise HostError("ERR_PERMISSION_DENIED", "The client is read-only: only GET requests are sent for it.")
        return (await self._fetcher.fetch(request, allowed_hosts=guest.manifest.hosts)).to_wire()

    async def _require(
        self,
        guest: InstalledGuest,
        context: CallContext,
        permissions: Sequence[GuestPermission],
        site: Site,
        *,
        what: str,
    ) -> None:
        """Raises ``DomainDenied`` before anybody is asked about what the rules forbid in any case."""
        self._fetcher.require_reachable(site)
        await self._permissions.require(guest, context, permissions, site, what=what)


def _url_in(params: Mapping[str, Any]) -> str:
    named = (params.get(name) for name in ("url", "loginUrl", "openUrl", "domain"))
    return next((value[:500] for value in named if isinstance(value, str)), "")


def cookie_header(cookies: Sequence[Cookie]) -> str:
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)


def _captured_data(captured: CapturedPage) -> dict[str, Any]:
    data: dict[str, Any] = {"title": captured.title, "url": captured.url}
    if captured.content is not None:
        data["content"] = captured.content
    if captured.data is not None:
        data["data"] = captured.data
    if captured.is_cut:
        data["truncated"] = True
    if captured.cookies is not None:
        data["cookies"] = cookie_header(captured.cookies)
    if captured.links is not None:
        data["links"] = [dict(link) for link in captured.links]
    return data
