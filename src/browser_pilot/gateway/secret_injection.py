"""Injects the user's secrets: at the last moment, only on their own sites, never in a URL."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping

from browser_pilot.errors import PermissionDenied, RecordsUnavailable
from browser_pilot.page.actions.context import FilledText, FillSecrets
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.patterns import PatternError, parse_pattern
from browser_pilot.redaction.known_secrets import encodings_of, find_known_secrets
from browser_pilot.secrets.secret_store import SecretStore, has_secret_references


class SecretInjector:
    def __init__(self, store: SecretStore) -> None:
        self._store = store

    def refresh(self) -> None:
        """Load what the user changed; a store that cannot be read fails when a secret is needed."""
        with contextlib.suppress(RecordsUnavailable):
            self._store.refresh()

    def filler(self, tab: Tab) -> FillSecrets:
        """Replaces placeholders with secrets, for a frame of this tab."""

        def fill(text: str, origin: str) -> FilledText:
            if not has_secret_references(text):
                return FilledText(text)
            site = page_site(origin or tab.page.url)
            if site is None or not site.host:
                raise PermissionDenied(
                    "A secret can only be typed on a site that it belongs to.",
                    suggestions=["Open the site first.", "Frames without a site of their own never get one."],
                )
            typed = self._store.expand(text, host=site.host, matches=lambda domain, _: _covers(domain, site))
            return FilledText(typed, tuple(self._store.values_referenced_in(text)))

        return fill

    def secrets_in(self, arguments: Mapping[str, object]) -> list[str]:
        """The secrets that a call is about to type."""
        return self._store.values_referenced_in(json.dumps(arguments, default=str))

    def refuse_in_url(self, url: str) -> None:
        """Refuse an address that carries one of the secrets."""
        self.refresh()
        for value in self._store.values():
            if any(find_known_secrets(url, encodings_of(value))):
                raise PermissionDenied(
                    "The address contains one of the user's secrets, so it is not opened.",
                    suggestions=["Type the secret into a field of its site instead: {{secret:NAME}}."],
                )


def _covers(domain: str, site: Site) -> bool:
    try:
        return parse_pattern(domain).covers(site)
    except PatternError:
        # A guest's secret is bound to the guest, and so to no site.
        return False
