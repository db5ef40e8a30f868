"""Access policy of one session at the egress proxy: which hosts and addresses its browser may connect to.

The rules decide on hosts. For a local address the initiator counts as well: a public page may not reach it. The proxy
sees hosts, not pages, and learns of the initiator:

- from plain HTTP: ``Origin`` or ``Referer``, and ``Sec-Fetch-Site`` in requests to loopback;
- from a tunnel to a WebSocket without TLS: the handshake's ``Origin``, read before a local address is connected to;
- from a tunnel with TLS: nothing. Then the session decides: which local sites the agent was allowed to navigate to
  (``allow_navigation``), and whether a public page is open in it (``pages``).

A name that resolved to a public address stays public for the session, so that DNS rebinding to a local address is
refused. The policy lives as long as its browser context and keeps the last network error of each site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from browser_pilot.policy.hosts import Site, address_class, parse_host
from browser_pilot.policy.ip_networks import AddressClass
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.policy.subresources import ReachDecision, decide_reach

from .connect_errors import BlockedByPolicy, NetworkFailure

MAX_SITES = 1000
# A page can use any number of names. A public name that is dropped still needs a rule to resolve to a local address.
MAX_NAMES = 20_000

_HostAndPort = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ConnectionRequest:
    """A request to connect. ``origin`` is the site of the page that sent it, ``url`` the requested URL, where known."""

    site: Site
    kind: Literal["http", "tunnel"]
    origin: Site | None = None
    fetch_site: str | None = None
    url: str = ""


class AccessPolicy(Protocol):
    def decide_host(self, request: ConnectionRequest) -> ReachDecision:
        """Whether the host may be connected to, before its name is resolved."""
        ...

    def decide_address(
        self,
        request: ConnectionRequest,
        host_decision: ReachDecision,
        kind: AddressClass,
        addresses: Iterable[str] = (),
    ) -> ReachDecision:
        """Whether these addresses, of this class at worst, may be connected to."""
        ...

    def rules_version(self) -> object:
        """An object that changes with the rules; open connections are then checked again."""
        ...

    @property
    def needs_urls(self) -> bool:
        """Whether the decision on the host needs the URL of a WebSocket that is opened through a tunnel."""
        ...

    def record_error(self, error: BlockedByPolicy | NetworkFailure) -> None:
        """Record that a site was not reached."""
        ...

    def record_connected(self, site: Site) -> None:
        """Record that a site was reached."""
        ...


class SessionAccessPolicy:
    """``carries_secret``, where set, says whether a URL or host contains a secret that must not leave."""

    def __init__(
        self,
        rules: Callable[[], Ruleset],
        *,
        session_domains: tuple[Pattern, ...] | None = None,
        open_pages: Callable[[], Iterable[Site]] = tuple,
    ) -> None:
        """``session_domains`` are the session's own domains, ``open_pages`` the sites of its open pages."""
        self._rules = rules
        self._within = session_domains
        self._pages = open_pages
        self._navigable: set[_HostAndPort] = set()
        self._only_local_since_navigation = False
        self._host_decisions: dict[Site, ReachDecision] = {}
        self._host_decisions_rules: Ruleset | None = None
        self._is_local: dict[str, bool] = {}
        self._errors: dict[_HostAndPort, BlockedByPolicy | NetworkFailure] = {}
        self.carries_secret: Callable[[str], bool] | None = None

    def allow_navigation(self, site: Site) -> None:
        """The agent may navigate to this site; if it is local, it may be reached by this name and port from now on."""
        self._navigable.add(_host_and_port(site))
        self._only_local_since_navigation = self._is_local_site(site)
        self._host_decisions.clear()

    def rules_version(self) -> object:
        return self._rules()

    @property
    def needs_urls(self) -> bool:
        return self.carries_secret is not None

    def decide_host(self, request: ConnectionRequest) -> ReachDecision:
        if self.carries_secret is not None and self.carries_secret(request.url or request.site.host):
            return ReachDecision(
                False, "the rule on secrets", "The address carries a secret, which may not leave in a URL."
            )
        rules = self._rules()
        if rules is not self._host_decisions_rules:
            self._host_decisions_rules = rules
            self._host_decisions.clear()
        decision = self._host_decisions.get(request.site)
        if decision is None:
            if len(self._host_decisions) >= MAX_SITES:
                self._host_decisions.clear()
            decision = self._host_decisions[request.site] = decide_reach(
                rules, request.site, self._within, opened=_host_and_port(request.site) in self._navigable
            )
        return decision

    def decide_address(
        self,
        request: ConnectionRequest,
        host_decision: ReachDecision,
        kind: AddressClass,
        addresses: Iterable[str] = (),
    ) -> ReachDecision:
        site = request.site
        if kind.is_forbidden:
            return ReachDecision(
                False, "the built-in rule", f"{site} leads to {kind.description}, which is never reached."
            )
        denied = _denied_by_address(self._rules(), site, kind, addresses)
        if denied is not None:
            return ReachDecision(False, denied.label, f"{site} leads to an address that {denied.label} denies.")
        was_local = self._was_local_at_first(site.host, is_local=kind.is_local)
        if not kind.is_local:
            self._only_local_since_navigation = False
            return host_decision
        if not host_decision.may_be_local or not was_local:
            reason = f"{site} leads to {kind.description}. Only a rule that names it would allow that."
            return ReachDecision(False, "the rule on local addresses", reason)
        if not self._initiator_is_local(request):
            reason = f"{site} leads to {kind.description}, which a public page may not reach."
            return ReachDecision(False, "the rule on local addresses", reason)
        return host_decision

    def record_error(self, error: BlockedByPolicy | NetworkFailure) -> None:
        if len(self._errors) >= MAX_SITES:
            self._errors.pop(next(iter(self._errors)))
        self._errors[_host_and_port(error.site)] = error

    def record_connected(self, site: Site) -> None:
        if self._errors:
            self._errors.pop(_host_and_port(site), None)

    def last_network_error(self, site: Site) -> BlockedByPolicy | NetworkFailure | None:
        """Why the last connection to this site failed; None when it succeeded."""
        return self._errors.get(_host_and_port(site))

    def _initiator_is_local(self, request: ConnectionRequest) -> bool:
        if request.origin is not None:
            return self._is_local_site(request.origin)
        if request.fetch_site in ("same-origin", "same-site"):
            return True
        if request.fetch_site == "cross-site":
            return False
        if _host_and_port(request.site) in self._navigable:
            return True
        pages = [page for page in self._pages() if page.host]
        if request.fetch_site == "none":
            # A navigation without an initiator. The agent's own are announced by ``allow_navigation``, others are
            # redirects: from a local server, if nothing but local ones were contacted since the agent's last.
            return self._only_local_since_navigation and all(self._is_local_site(page) for page in pages)
        return bool(pages) and all(self._is_local_site(page) for page in pages)

    def _was_local_at_first(self, host: str, *, is_local: bool) -> bool:
        """Whether the first address of this name in the session was local."""
        if host not in self._is_local and len(self._is_local) >= MAX_NAMES:
            self._is_local.pop(next(iter(self._is_local)))
        return self._is_local.setdefault(host, is_local)

    def _is_local_site(self, site: Site) -> bool:
        kind = address_class(site.host)
        return kind.is_local if kind is not None else self._is_local.get(site.host, False)


def _denied_by_address(rules: Ruleset, site: Site, kind: AddressClass, addresses: Iterable[str]) -> Rule | None:
    """The rule that denies an address that the site's name leads to: a name for the hub's own port, for example."""
    hosts = [parse_host(f"[{address}]" if ":" in address else address) for address in addresses]
    if kind is AddressClass.LOOPBACK:
        # Whatever the address is, all of these lead to the same servers.
        hosts += ["127.0.0.1", "[::1]"]
    for host in dict.fromkeys(hosts):
        if host is None or host == site.host:
            continue
        coverage = rules.coverage(Site(site.scheme, host, site.port))
        rule = next((rule for rule in coverage.rules if rule.read is not None), None)
        if rule is not None and rule.read == "deny" and not rule.pattern.covers_everything:
            return rule
    return None


def _host_and_port(site: Site) -> _HostAndPort:
    return site.host, site.port
