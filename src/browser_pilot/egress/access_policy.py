"""Who may be reached, for one session: the rules, and for local addresses also who is asking.

The proxy sees hosts, not pages. What it can know of the asker:

- plain http carries ``Origin`` or ``Referer``, and to loopback also ``Sec-Fetch-Site``;
- a tunnel to a WebSocket without TLS starts with a handshake that carries ``Origin``, which the proxy reads before it
  connects to a local address;
- a tunnel with TLS tells nothing, so there the session answers: which local sites the agent was let open (``open``),
  and whether any public page is open in it at all (``pages``).

A name that was public once stays so for this session: a server that later answers with a local address (DNS
rebinding) is refused. The gate lives as long as its context; ``trouble`` tells what last stood between it and a site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from ..policy.hosts import Site, address_class
from ..policy.networks import AddressClass
from ..policy.patterns import Pattern
from ..policy.reach import Reach, reach
from ..policy.rules import Ruleset
from .troubles import Failure, Refusal

SITES_KEPT = 1000
# A page can make up names without end; a public one that is forgotten could still not become local without a rule.
NAMES_KEPT = 20_000

_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish to connect. ``origin`` is the site of the page that asks, and ``url`` what it asks for, where known."""

    site: Site
    kind: Literal["http", "tunnel"]
    origin: Site | None = None
    fetch_site: str | None = None
    url: str = ""


class Gate(Protocol):
    def allows(self, ask: Ask) -> Reach:
        """Whether the host may be reached, before its name is resolved."""
        ...

    def allows_address(self, ask: Ask, found: Reach, kind: AddressClass) -> Reach:
        """Whether it may be reached at an address of this class; ``found`` is what ``allows`` said."""
        ...

    def edition(self) -> object:
        """Another one when what is allowed may have changed: then open connections are judged again."""
        ...

    @property
    def looks_into_urls(self) -> bool:
        """Whether ``allows`` wants to see the address of a WebSocket that is asked for through a tunnel."""
        ...

    def told(self, trouble: Refusal | Failure) -> None:
        """A site was not reached."""
        ...

    def reached(self, site: Site) -> None: ...


class SessionGate:
    """``carries_secret`` says of an address or host whether something is in it that must not leave."""

    def __init__(
        self,
        rules: Callable[[], Ruleset],
        *,
        within: tuple[Pattern, ...] | None = None,
        pages: Callable[[], Iterable[Site]] = tuple,
    ) -> None:
        self._rules = rules
        self._within = within
        self._pages = pages
        self._opened: set[_Place] = set()
        self._only_local_since_opening = False
        self._judged: dict[Site, Reach] = {}
        self._judged_by: Ruleset | None = None
        self._is_local: dict[str, bool] = {}
        self._troubles: dict[_Place, Refusal | Failure] = {}
        self.carries_secret: Callable[[str], bool] | None = None

    def open(self, site: Site) -> None:
        """The agent was allowed to go to this site; a local one may from now on be reached by name and port."""
        self._opened.add(_place(site))
        self._only_local_since_opening = self._local(site)
        self._judged.clear()

    def edition(self) -> object:
        return self._rules()

    @property
    def looks_into_urls(self) -> bool:
        return self.carries_secret is not None

    def allows(self, ask: Ask) -> Reach:
        if self.carries_secret is not None and self.carries_secret(ask.url or ask.site.host):
            return Reach(False, "the rule on secrets", "The address carries a secret, which may not leave in a URL.")
        rules = self._rules()
        if rules is not self._judged_by:
            self._judged_by = rules
            self._judged.clear()
        found = self._judged.get(ask.site)
        if found is None:
            if len(self._judged) >= SITES_KEPT:
                self._judged.clear()
            found = self._judged[ask.site] = reach(
                rules, ask.site, self._within, opened=_place(ask.site) in self._opened
            )
        return found

    def allows_address(self, ask: Ask, found: Reach, kind: AddressClass) -> Reach:
        site = ask.site
        if kind.is_forbidden:
            return Reach(False, "the built-in rule", f"{site} leads to {kind.described}, which is never reached.")
        was_local = self._remembered(site.host, is_local=kind.is_local)
        if not kind.is_local:
            self._only_local_since_opening = False
            return found
        if not found.may_be_local or not was_local:
            reason = f"{site} leads to {kind.described}. Only a rule that names it would allow that."
            return Reach(False, "the rule on local addresses", reason)
        if not self._asker_is_local(ask):
            reason = f"{site} leads to {kind.described}, which a public page may not reach."
            return Reach(False, "the rule on local addresses", reason)
        return found

    def told(self, trouble: Refusal | Failure) -> None:
        if len(self._troubles) >= SITES_KEPT:
            self._troubles.pop(next(iter(self._troubles)))
        self._troubles[_place(trouble.site)] = trouble

    def reached(self, site: Site) -> None:
        if self._troubles:
            self._troubles.pop(_place(site), None)

    def trouble(self, site: Site) -> Refusal | Failure | None:
        """Why this site was not reached when it was last tried; None when it was."""
        return self._troubles.get(_place(site))

    def _asker_is_local(self, ask: Ask) -> bool:
        if ask.origin is not None:
            return self._local(ask.origin)
        if ask.fetch_site in ("same-origin", "same-site"):
            return True
        if ask.fetch_site == "cross-site":
            return False
        if _place(ask.site) in self._opened:
            return True
        pages = [page for page in self._pages() if page.host]
        if ask.fetch_site == "none":
            # No page asks, so it is a navigation. The agent's own are announced by ``open``, others are redirects: from
            # a local server, if nothing but local ones had a word since the agent's last.
            return self._only_local_since_opening and all(self._local(page) for page in pages)
        return bool(pages) and all(self._local(page) for page in pages)

    def _remembered(self, host: str, *, is_local: bool) -> bool:
        """Whether a name was local when it was first met."""
        if host not in self._is_local and len(self._is_local) >= NAMES_KEPT:
            self._is_local.pop(next(iter(self._is_local)))
        return self._is_local.setdefault(host, is_local)

    def _local(self, site: Site) -> bool:
        kind = address_class(site.host)
        return kind.is_local if kind is not None else self._is_local.get(site.host, False)


def _place(site: Site) -> _Place:
    return site.host, site.port
