"""The user's secrets on their way into a page: filled in at the last moment, only where they belong, never in a URL."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping

from ..errors import PermissionDenied, RecordsUnavailable
from ..pages.tab import Fill, Tab
from ..policy.hosts import Site, page_site
from ..policy.patterns import PatternError, parse_pattern
from ..records.known import find_known, forms_of
from ..records.secrets import SecretStore, has_placeholders


class SecretFilling:
    def __init__(self, store: SecretStore) -> None:
        self._store = store

    def refresh(self) -> None:
        """Take in what the user changed; a store that cannot be read now is told of when a secret is wanted."""
        with contextlib.suppress(RecordsUnavailable):
            self._store.refresh()

    def filler(self, tab: Tab) -> Fill:
        """Fills placeholders in for a frame of this tab."""

        def fill(text: str, origin: str) -> str:
            if not has_placeholders(text):
                return text
            site = page_site(origin or tab.page.url)
            if site is None or not site.host:
                raise PermissionDenied(
                    "A secret can only be typed on a site that it belongs to.",
                    suggestions=["Open the site first.", "Frames without a site of their own never get one."],
                )
            return self._store.expand(text, host=site.host, matches=lambda domain, _: _covers(domain, site))

        return fill

    def named_in(self, arguments: Mapping[str, object]) -> list[str]:
        """The values that a call is about to type."""
        return self._store.values_named_in(json.dumps(arguments, default=str))

    def keep_out_of(self, url: str) -> None:
        """Refuse an address that carries one of the secrets."""
        self.refresh()
        for value in self._store.values():
            if any(find_known(url, forms_of(value))):
                raise PermissionDenied(
                    "The address carries one of the user's secrets, so that it is not opened.",
                    suggestions=["Type the secret into a field of its site instead: {{secret:NAME}}."],
                )


def _covers(domain: str, site: Site) -> bool:
    try:
        return parse_pattern(domain).covers(site)
    except PatternError:
        # A guest's secret is bound to the guest, and so to no site.
        return False
