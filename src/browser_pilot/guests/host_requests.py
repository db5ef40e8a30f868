"""Serves host requests: who asks, may they, then do it. The same for both kinds of guest.

A request without an origin is refused whatever it asks for. Permissions are checked for the site that is named, and
again for the one that a page ended on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..policy.hosts import Site, parse_address
from ..policy.patterns import any_covers
from .browser import Captured, Cookie, Credentials, GuestBrowser
from .context import CallContext, Record, no_record
from .fetch import Fetcher
from .host_errors import HostRefusal
from .manifest import Permission
from .methods import CapturePage, EnsureLogin, Fetch, GetCookies, HttpGet, LoginThenCapture, parse_params
from .permissions import Permits
from .store import Installed

# The value of a guest's secret; None when the user has not given it.
SecretOf = Callable[[str, str], str | None]

CAPTURE: tuple[Permission, ...] = ("browser:tabs.create", "browser:activeTab.read")
COOKIES: tuple[Permission, ...] = ("browser:tabs.create", "browser:cookies.read")
LOGIN: tuple[Permission, ...] = ("browser:tabs.create", "browser:login")


class Host:
    def __init__(
        self,
        *,
        browser: GuestBrowser,
        permits: Permits,
        fetcher: Fetcher,
        secret_of: SecretOf,
        record: Record = no_record,
    ) -> None:
        self._record = record
        self._browser = browser
        self._permits = permits
        self._fetcher = fetcher
        self._secret_of = secret_of

    async def serve(
        self, guest: Installed, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The result; raises ``HostRefusal`` or an error of ours."""
        if context is None or not context.origin:
            raise HostRefusal("ERR_PERMISSION_DENIED", "This request serves no call, so that it has no origin.")
        asked = {
            "method": method[:100],
            "origin": context.origin,
            "tab": context.tab_id,
            "tool": context.tool,
            "url": _url_in(params),
        }
        await self._record(guest.name, "A guest asked the host", asked)
        match method:
            case "browser.capturePage":
                wish = parse_params(CapturePage, params)
                return await self._capture(guest, context, wish)
            case "browser.getCookies":
                return await self._cookies(guest, context, parse_params(GetCookies, params))
            case "browser.ensureLogin":
                return await self._login(guest, context, parse_params(EnsureLogin, params))
            case "browser.loginThenCapture":
                both = parse_params(LoginThenCapture, params)
                await self._login(guest, context, both)
                return await self._capture(guest, context, parse_params(CapturePage, {**params, "timeout": 15_000}))
            case "http.get":
                return await self._get(guest, context, parse_params(HttpGet, params))
            case "net.fetch":
                return await self._fetch(guest, context, parse_params(Fetch, params))
            case _:
                raise HostRefusal("ERR_UNKNOWN_METHOD", f"The host has no method {method[:100]!r}.")

    async def _capture(self, guest: Installed, context: CallContext, wish: CapturePage) -> Mapping[str, Any]:
        wanted = (*CAPTURE, "browser:cookies.read") if wish.captureCookies else CAPTURE

        async def allowed(site: Site) -> None:
            await self._permits.require(guest, context, wanted, site, what="It wants to read a page for its answer.")

        await allowed(parse_address(wish.url).site)
        captured = await self._browser.capture(
            context, wish, guest=guest.name, browser=guest.manifest.browser, recheck=allowed
        )
        return _captured(captured)

    async def _cookies(self, guest: Installed, context: CallContext, wish: GetCookies) -> Mapping[str, Any]:
        domain = parse_address(wish.domain.lstrip(".")).site
        site = parse_address(wish.openUrl).site if wish.openUrl else domain
        if not (site.host == domain.host or site.host.endswith(f".{domain.host}")):
            raise HostRefusal("ERR_INVALID_PARAMS", "openUrl must be a page of the domain.")

        async def allowed(found: Site) -> None:
            await self._permits.require(guest, context, COOKIES, found, what="It wants the cookies of this site.")

        await allowed(site)
        cookies = await self._browser.cookies(
            context, wish, guest=guest.name, browser=guest.manifest.browser, recheck=allowed
        )
        return {"cookies": header_of(cookies)}

    async def _login(self, guest: Installed, context: CallContext, wish: EnsureLogin) -> Mapping[str, Any]:
        async def allowed(site: Site) -> None:
            await self._permits.require(guest, context, LOGIN, site, what="It wants to sign in for its answer.")

        await allowed(parse_address(wish.loginUrl).site)
        credentials = self._credentials(guest, wish)
        await self._browser.login(
            context, wish, credentials, guest=guest.name, browser=guest.manifest.browser, recheck=allowed
        )
        return {"ok": True}

    def _credentials(self, guest: Installed, wish: EnsureLogin) -> Credentials | None:
        username = self._one_credential(guest, wish.usernameSecret, wish.email)
        password = self._one_credential(guest, wish.passwordSecret, wish.password)
        if username is None and password is None:
            return None
        if username is None or password is None:
            raise HostRefusal("ERR_INVALID_PARAMS", "Give a user name and a password, or neither.")
        return Credentials(username, password)

    def _one_credential(self, guest: Installed, secret: str | None, text: str | None) -> str | None:
        if secret is None:
            return text
        if secret not in {wish.name for wish in guest.manifest.secrets}:
            raise HostRefusal("ERR_PERMISSION_DENIED", f"{secret[:80]!r} is no secret that the manifest asks for.")
        value = self._secret_of(guest.name, secret)
        if value is None:
            raise HostRefusal("ERR_PERMISSION_DENIED", f"The user has not given the secret {secret}.")
        return value

    async def _get(self, guest: Installed, context: CallContext, wish: HttpGet) -> Mapping[str, Any]:
        site = parse_address(wish.url).site
        if not any_covers(guest.manifest.hosts, site):
            await self._permits.require(guest, context, ("net:fetch",), site, what=f"It wants to get {wish.url[:200]}.")
        answer = await self._fetcher.fetch(
            Fetch(url=wish.url, headers=list(wish.headers.items())), hosts=guest.manifest.hosts, also=site
        )
        return {"status": answer.status, "statusText": answer.status_text, "body": answer.text}

    async def _fetch(self, guest: Installed, context: CallContext, wish: Fetch) -> Mapping[str, Any]:
        if context.read_only and wish.method not in ("GET", "HEAD", "OPTIONS"):
            raise HostRefusal("ERR_PERMISSION_DENIED", "The client is read-only: only GET requests are sent for it.")
        return (await self._fetcher.fetch(wish, hosts=guest.manifest.hosts)).data()


def _url_in(params: Mapping[str, Any]) -> str:
    named = (params.get(name) for name in ("url", "loginUrl", "openUrl", "domain"))
    return next((value[:500] for value in named if isinstance(value, str)), "")


def header_of(cookies: Sequence[Cookie]) -> str:
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)


def _captured(captured: Captured) -> dict[str, Any]:
    data: dict[str, Any] = {"content": captured.content, "title": captured.title, "url": captured.url}
    if captured.cookies is not None:
        data["cookies"] = header_of(captured.cookies)
    if captured.links is not None:
        data["links"] = [dict(link) for link in captured.links]
    return data
