"""A context's way to the network: its gate at the egress proxy, its credentials there, and what must not leave.

Life: made before its context; ``connect`` lets the context in; ``close`` shuts it out and ends its connections. After
that, or when the proxy is gone, the context reaches nothing: it knows no other way.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator

from playwright.async_api import BrowserContext, ProxySettings

from ..egress import EgressProxy, Failure, Refusal, SessionGate
from ..egress.parent_proxy import ParentProxy
from ..policy.hosts import Site, page_site
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset
from .proxy_login import log_in, proxy_settings
from .secret_urls import UrlForms


class Outlet:
    """``within`` are the domains that the session was made for; None for no such limit. ``rules`` may be exchanged."""

    def __init__(
        self,
        proxy: EgressProxy,
        rules: Callable[[], Ruleset],
        within: tuple[Pattern, ...] | None,
        *,
        parent_proxy: ParentProxy | None = None,
    ) -> None:
        self.within = within
        self.rules = rules
        self._parent_proxy = parent_proxy
        self._proxy = proxy
        self._key = secrets.token_hex(8)
        self._context: BrowserContext | None = None
        self._gate = SessionGate(lambda: self.rules(), within=within, pages=self._pages)
        self._forms = UrlForms()

    @property
    def settings(self) -> ProxySettings:
        return proxy_settings(self._proxy.port)

    async def connect(self, context: BrowserContext) -> None:
        """Raises ``BrowserUnavailable`` when the context cannot use the proxy. Leaves one blank page open."""
        self._context = context
        secret = secrets.token_urlsafe(24)
        self._proxy.register(self._key, secret, self._gate, parent=self._parent_proxy)
        try:
            page = context.pages[0] if context.pages else await context.new_page()
            await log_in(page, self._key, secret)
        except BaseException:
            self.close()
            raise

    def let_open(self, site: Site) -> None:
        """The agent was allowed to go there."""
        self._gate.open(site)

    def trouble(self, url: str) -> Refusal | Failure | None:
        """Why an address was not reached, as far as the reason lies with us or in the network behind us."""
        site = page_site(url)
        if site is None:
            return None
        if self._forms.found_in(url):
            return Refusal(site, "the rule on secrets", "The address carries a secret, which may not leave in a URL.")
        return self._gate.trouble(site)

    def keep_in(self, values: Iterable[str]) -> UrlForms:
        """Let no address out that carries one of these; gives all that is kept in."""
        self._forms.add(values)
        self._gate.carries_secret = self._forms.found_in
        return self._forms

    def close(self) -> None:
        self._proxy.unregister(self._key)

    def _pages(self) -> Iterator[Site]:
        """Whose code runs in the context now. What is no site (an extension's page) counts as a public one."""
        if self._context is None:
            return
        urls = [frame.url for page in self._context.pages for frame in page.frames]
        urls += [worker.url for worker in self._context.service_workers]
        # A frame that was only just made has no address yet.
        for url in filter(None, urls):
            yield page_site(url) or Site("https", "unknown.invalid", 443)
