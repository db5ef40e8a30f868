"""The browser as guests may ask for it: a seam. ``app`` hands in one that goes through the gateway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..policy.hosts import Site
from .context import CallContext
from .manifest import BrowserChoice
from .methods import CapturePage, EnsureLogin, GetCookies

# Called with the site that a page ended on, before anything of it is read; raises when that is not allowed.
Recheck = Callable[[Site], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cookie:
    name: str
    value: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    content: str
    title: str
    url: str
    cookies: Sequence[Cookie] | None = None
    links: Sequence[Mapping[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    username: str
    password: str


class GuestBrowser(Protocol):
    """Every page is opened in the background and closed afterwards; whatever is refused raises an error of ours."""

    async def capture(
        self, context: CallContext, wish: CapturePage, *, guest: str, browser: BrowserChoice, recheck: Recheck
    ) -> Captured: ...

    async def cookies(
        self, context: CallContext, wish: GetCookies, *, guest: str, browser: BrowserChoice, recheck: Recheck
    ) -> Sequence[Cookie]: ...

    async def login(
        self,
        context: CallContext,
        wish: EnsureLogin,
        credentials: Credentials | None,
        *,
        guest: str,
        browser: BrowserChoice,
        recheck: Recheck,
    ) -> None: ...
