"""The browser as the host offers it to guests: a seam. ``gateway.guest_browser`` implements it through the gateway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.installed.manifest import BrowserChoice
from browser_pilot.policy.hosts import Site

from .host_api import CapturePage, EnsureLogin, GetCookies

# Called with the site of the loaded page, before anything of it is read; raises when that site is not allowed.
SiteCheck = Callable[[Site], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cookie:
    name: str
    value: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPage:
    """``data`` is what was selected, instead of ``content``."""

    title: str
    url: str
    content: str | None = None
    data: Mapping[str, object] | None = None
    is_cut: bool = False
    cookies: Sequence[Cookie] | None = None
    links: Sequence[Mapping[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    username: str
    password: str


class GuestBrowser(Protocol):
    """Pages are opened in the background and closed afterwards. Raises ``PilotError``."""

    async def capture(
        self, context: CallContext, request: CapturePage, *, guest: str, browser: BrowserChoice, check_site: SiteCheck
    ) -> CapturedPage: ...

    async def cookies(
        self, context: CallContext, request: GetCookies, *, guest: str, browser: BrowserChoice, check_site: SiteCheck
    ) -> Sequence[Cookie]: ...

    async def login(
        self,
        context: CallContext,
        request: EnsureLogin,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: BrowserChoice,
        check_site: SiteCheck,
    ) -> None: ...
