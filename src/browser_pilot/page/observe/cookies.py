"""Cookies of a tab's context: read, set, delete, clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from playwright.async_api import Cookie
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.cdp import send
from browser_pilot.page.playwright_errors import translate, translated
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import parse_address
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
    scope = {"domain": domain} if domain is not None else {"url": url or tab.page.url}
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
    """Delete the cookies of a name; returns how many."""
    context = tab.page.context
    with translated("Deleting cookies"):
        before = await context.cookies()
        await (context.clear_cookies(name=name, domain=domain) if domain else context.clear_cookies(name=name))
        return len(before) - len(await context.cookies())


async def clear_cookies(tab: Tab) -> int:
    """Delete all cookies of the session; returns how many."""
    context = tab.page.context
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
