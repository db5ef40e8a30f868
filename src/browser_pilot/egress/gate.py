"""Who may be reached, for one session: the rules, and for local addresses also who is asking.

The proxy sees hosts, not pages. What it can know of the asker:

- plain http carries ``Origin`` or ``Referer``, and to loopback also ``Sec-Fetch-Site``;
- a tunnel to a WebSocket without TLS starts with a handshake that carries ``Origin``, which the proxy reads before it
  connects to a local address;
- a tunnel with TLS tells nothing, so there the session answers: which local sites the agent was let open (``open``),
  and whether any public page is open in it at all (``pages``).

A name that was public once stays so for this session: a server that later answers with a local address (DNS
rebinding) is refused. The gate lives as long as its session; ``refusals`` keeps the latest for error messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from ..policy.hosts import Site, address_class
from ..policy.networks import AddressClass
from ..policy.patterns import Pattern
from ..policy.reach import Reach, reach
from ..policy.rules import Ruleset

REFUSALS_KEPT = 50
SITES_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish to connect. ``origin`` is the site of the page that asks, where that is known."""

    site: Site
    kind: Literal["http", "tunnel"]
    origin: Site | None = None
    fetch_site: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    site: Site
    rule: str
    reason: str


class Gate(Protocol):
    def allows(self, ask: Ask) -> Reach:
        """Whether the host may be reached, before its name is resolved."""
        ...

    def allows_address(self, ask: Ask, found: Reach, kind: AddressClass) -> Reach:
        """Whether it may be reached at an address of this class; ``found`` is what ``allows`` said."""
        ...

    def refused(self, refusal: Refusal) -> None: ...


class SessionGate:
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
        self._opened: set[tuple[str, int]] = set()
        self._judged: dict[Site, Reach] = {}
        self._judged_by: Ruleset | None = None
        self._is_local: dict[str, bool] = {}
        self.refusals: deque[Refusal] = deque(maxlen=REFUSALS_KEPT)

    def open(self, site: Site) -> None:
        """The agent was allowed to go to this site; a local one may from now on be reached by name and port."""
        self._opened.add((site.host, site.port))

    def allows(self, ask: Ask) -> Reach:
        rules = self._rules()
        if rules is not self._judged_by:
            self._judged_by = rules
            self._judged.clear()
        found = self._judged.get(ask.site)
        if found is None:
            if len(self._judged) >= SITES_KEPT:
                self._judged.clear()
            found = self._judged[ask.site] = reach(rules, ask.site, self._within)
        return found

    def allows_address(self, ask: Ask, found: Reach, kind: AddressClass) -> Reach:
        site = ask.site
        if kind.is_forbidden:
            return Reach(False, "the built-in rule", f"{site} leads to {kind.described}, which is never reached.")
        was_local = self._is_local.setdefault(site.host, kind.is_local)
        if not kind.is_local:
            return found
        if not found.may_be_local or not was_local:
            reason = f"{site} leads to {kind.described}. Only a rule that names it would allow that."
            return Reach(False, "the rule on local addresses", reason)
        if not self._asker_is_local(ask):
            reason = f"{site} leads to {kind.described}, which a public page may not reach."
            return Reach(False, "the rule on local addresses", reason)
        return found

    def refused(self, refusal: Refusal) -> None:
        self.refusals.append(refusal)

    def _asker_is_local(self, ask: Ask) -> bool:
        if ask.origin is not None:
            return self._local(ask.origin)
        if ask.fetch_site in ("same-origin", "same-site"):
            return True
        if ask.fetch_site == "cross-site":
            return False
        if (ask.site.host, ask.site.port) in self._opened:
            return True
        if ask.fetch_site == "none":
            # No page asks, so it is a navigation; the agent's own are announced by ``open``, others are redirects.
            return False
        pages = [page for page in self._pages() if page.host]
        return bool(pages) and all(self._local(page) for page in pages)

    def _local(self, site: Site) -> bool:
        kind = address_class(site.host)
        return kind.is_local if kind is not None else self._is_local.get(site.host, False)
