"""Egress-proxy session of one browser context: credentials, access policy, secret filter.

Lifecycle: created before its context; ``connect`` authenticates the context; ``close`` revokes its access and ends its
connections. After that, or without the proxy, the context reaches nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator

from playwright.async_api import BrowserContext, ProxySettings

from browser_pilot.egress import BlockedByPolicy, EgressProxy, NetworkFailure, SessionAccessPolicy
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Ruleset

from .proxy_auth import authenticate, proxy_settings
from .url_leak_guard import UrlForms


class ProxySession:
    """``allowed_domains``: the only ones that the session may reach; None for no limit. ``rules`` may be replaced."""

    def __init__(
        self,
        proxy: EgressProxy,
        rules: Callable[[], Ruleset],
        within: tuple[Pattern, ...] | None,
        *,
        parent_proxy: ParentProxy | None = None,
    ) -> None:
        self.allowed_domains = within
        self.rules = rules
        self._parent_proxy = parent_proxy
        self._proxy = proxy
        self._key = secrets.token_hex(8)
        self._context: BrowserContext | None = None
        self._access_policy = SessionAccessPolicy(lambda: self.rules(), session_domains=within, open_pages=self._pages)
        self._forms = UrlForms()

    @property
    def settings(self) -> ProxySettings:
        return proxy_settings(self._proxy.port)

    async def connect(self, context: BrowserContext) -> None:
        """Authenticate the context; leaves one blank page open. Raises ``BrowserUnavailable`` on failure."""
        self._context = context
        secret = secrets.token_urlsafe(24)
        self._proxy.register(self._key, secret, self._access_policy, parent=self._parent_proxy)
        try:
            page = context.pages[0] if context.pages else await context.new_page()
            await authenticate(page, self._key, secret)
        except BaseException:
            self.close()
            raise

    def allow_navigation(self, site: Site) -> None:
        """Allow a site that an agent was authorized to open."""
        self._access_policy.allow_navigation(site)

    def last_network_error(self, url: str) -> BlockedByPolicy | NetworkFailure | None:
        """Why a URL was not reached, if the reason is the proxy's decision or an error behind it."""
        site = page_site(url)
        if site is None:
            return None
        if self._forms.found_in(url):
            return BlockedByPolicy(
                site, "the rule on secrets", "The URL contains a secret; secrets must not leave in a URL."
            )
        return self._access_policy.last_network_error(site)

    def block_in_urls(self, values: Iterable[str]) -> UrlForms:
        """Block URLs that contain one of these values; returns all blocked forms."""
        self._forms.add(values)
        self._access_policy.carries_secret = self._forms.found_in
        return self._forms

    def close(self) -> None:
        self._proxy.unregister(self._key)

    def _pages(self) -> Iterator[Site]:
        """The sites whose code runs in the context. A page without a site (an extension's) counts as a public one."""
        if self._context is None:
            return
        urls = [frame.url for page in self._context.pages for frame in page.frames]
        urls += [worker.url for worker in self._context.service_workers]
        # A new frame has no URL yet.
        for url in filter(None, urls):
            yield page_site(url) or Site("https", "unknown.invalid", 443)
