"""Cookies of a tab's context: read, set, delete, clear; and the sites whose cookies a call would use."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, cast

from playwright.async_api import Cookie
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import ElementChanged, InvalidArgument
from browser_pilot.page.cdp import send
from browser_pilot.page.playwright_errors import translate, translated
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import DEFAULT_PORTS, Site, page_site, parse_address, parse_host
from browser_pilot.safe_text import well_formed
from browser_pilot.upstream_errors import COOKIE_REFUSED


@dataclass(frozen=True, slots=True)
class CookieFacts:
    name: str
    value: str
    domain: str
    path: str
    expires: float | None
    http_only: bool
    secure: bool
    same_site: str


@dataclass(frozen=True, slots=True)
class CookieSpec:
    """What a call does with cookies. Without ``url`` and ``domain`` they are those of the tab's page."""

    action: Literal["get", "set", "delete", "clear"]
    name: str | None = None
    url: str | None = None
    domain: str | None = None


async def cookie_sites(tab: Tab, spec: CookieSpec) -> tuple[Site, ...]:
    """The sites whose cookies the call would use, other than the page's own."""
    page = page_site(tab.page.url)
    if spec.action == "clear":
        with translated("Reading cookies"):
            domains = {cookie.get("domain", "") for cookie in await tab.page.context.cookies()}
        sites = [_site_of_domain(domain, page) for domain in sorted(domains)]
    else:
        sites = [_site_of_domain(spec.domain, page)] if spec.domain else []
        sites += [parse_address(spec.url).site] if spec.url else []
    return tuple(dict.fromkeys(site for site in sites if site != page))


async def domain_wide_hosts(tab: Tab, spec: CookieSpec) -> frozenset[str]:
    """The hosts for which the call would change cookies that the names below them get too."""
    if spec.action in ("set", "delete"):
        return frozenset({canonical_domain(spec.domain).removeprefix(".")} if spec.domain else ())
    if spec.action == "get":
        return frozenset()
    with translated("Reading cookies"):
        domains = {cookie.get("domain", "") for cookie in await tab.page.context.cookies()}
    return frozenset(canonical_domain(domain).removeprefix(".") for domain in domains if domain.startswith("."))


def canonical_domain(domain: str) -> str:
    """A cookie's domain in the form in which it is authorized, so that the browser gets the same."""
    host = parse_host(domain.removeprefix("."))
    if host is None:
        raise InvalidArgument(f"{domain[:100]!r} is not a domain.", suggestions=["Give a host name, as example.com."])
    return f".{host}" if domain.startswith(".") else host


def _site_of_domain(domain: str, page: Site | None) -> Site:
    """Cookies have no port: those of the page's host count as the page's."""
    host = canonical_domain(domain).removeprefix(".")
    return page if page is not None and page.host == host else Site("https", host, DEFAULT_PORTS["https"])


async def get_cookies(tab: Tab, *, name: str | None = None, url: str | None = None) -> list[CookieFacts]:
    """The cookies that the tab's page (or ``url``) would send, httpOnly ones included."""
    address = parse_address(url).href if url else tab.page.url
    with translated("Reading cookies"):
        cookies = await tab.page.context.cookies(address)
    return [_facts(cookie) for cookie in cookies if name is None or cookie.get("name") == name]


async def stored_cookies(tab: Tab, url: str) -> list[CookieFacts]:
    """The cookies that the browser has for a URL, whichever page the tab shows."""
    session = await tab.world.frames.main_session()
    with translated("Reading cookies"):
        reply = await send(session, "Network.getCookies", urls=[parse_address(url).href])
    return [_facts(cast("Cookie", cookie)) for cookie in reply["cookies"]]


async def set_cookie(
    tab: Tab,
    name: str,
    value: str,
    *,
    url: str | None = None,
    domain: str | None = None,
    path: str | None = None,
    expires: float | None = None,
    http_only: bool = False,
    secure: bool = False,
) -> None:
    """Set one cookie, for the tab's page unless a url or domain is given."""
    if url is not None and domain is not None:
        raise InvalidArgument("Give `url` or `domain`, not both.", suggestions=["A domain covers all its pages."])
    scope = {"url": parse_address(url).href if url else tab.page.url}
    if domain is not None:
        scope = {"domain": canonical_domain(domain)}
    optional = {key: given for key, given in (("path", path), ("expires", expires)) if given is not None}
    session = await tab.world.frames.main_session()
    cookie = {"name": name, "value": value, "httpOnly": http_only, "secure": secure, **scope, **optional}
    try:
        accepted = (await send(session, "Network.setCookie", **cookie)).get("success", True)
    except PlaywrightError as error:
        if not COOKIE_REFUSED.matches(error.message):
            raise translate(error, "Setting a cookie") from error
        accepted = False
    if not accepted:
        raise InvalidArgument(
            f"The browser refuses the cookie {name!r}.",
            suggestions=["Check its domain; a secure cookie needs an https address."],
        )


async def delete_cookies(tab: Tab, name: str, *, domain: str | None = None) -> int:
    """Delete the cookies of a name, of the tab's page unless a domain is given; returns how many."""
    context = tab.page.context
    domains = {canonical_domain(domain)} if domain else {cookie.domain for cookie in await get_cookies(tab, name=name)}
    with translated("Deleting cookies"):
        before = await context.cookies()
        for each in domains:
            await context.clear_cookies(name=name, domain=each)
        return len(before) - len(await context.cookies())


async def clear_cookies(tab: Tab, *, sites: Collection[Site] | None = None) -> int:
    """Delete all cookies of the session; returns how many.

    Raises ``ElementChanged`` if there are cookies of other sites than ``sites`` and the page's, which were authorized.
    """
    context = tab.page.context
    if sites is not None and not set(await cookie_sites(tab, CookieSpec("clear"))) <= set(sites):
        raise ElementChanged("There are cookies of other sites now than those that were authorized.")
    with translated("Clearing cookies"):
        before = await context.cookies()
        await context.clear_cookies()
    return len(before)


def _facts(cookie: Cookie) -> CookieFacts:
    expires = cookie.get("expires", -1)
    return CookieFacts(
        name=well_formed(cookie.get("name", "")),
        value=well_formed(cookie.get("value", "")),
        domain=cookie.get("domain", ""),
        path=well_formed(cookie.get("path", "")),
        expires=None if expires < 0 else expires,
        http_only=cookie.get("httpOnly", False),
        secure=cookie.get("secure", False),
        same_site=cookie.get("sameSite", ""),
    )
