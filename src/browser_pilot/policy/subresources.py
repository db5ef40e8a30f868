"""Decides which hosts a managed browser may connect to for a page's subresources.

Navigation rules decide which sites the agent may open; ``Subresources`` decides what those pages may load, so that a
page can use its CDN although the agent may not open it. The lists ``allow`` and ``deny`` come first: the more specific
pattern wins, and "deny" among equals. Then come the rules' read permissions, then ``uncovered``, where "rules" means
the same as for navigation. "ask" counts as a denial: a page load cannot wait for an approval.

For a site that the agent has opened only the navigation rules count: a site whose pages load must also get its own
images and scripts.

Also decides whether a host name may resolve to a *local* address; the proxy checks which page requests it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .hosts import Site, address_class
from .patterns import Pattern, any_covers, covering_patterns, is_private_network_name
from .rule_advice import SESSION_DOMAINS
from .rules import Ruleset, Subresources


@dataclass(frozen=True, slots=True)
class ReachDecision:
    """Whether a connection is allowed, and by which rule; ``may_be_local`` when it may resolve to a local address."""

    allowed: bool
    rule: str
    reason: str
    may_be_local: bool = False


def decide_reach(
    ruleset: Ruleset, site: Site, within: tuple[Pattern, ...] | None = None, *, opened: bool = False
) -> ReachDecision:
    """``within`` are the session's domains; they restrict everything except the list ``allow``."""
    kind = address_class(site.host)
    if kind is not None and kind.is_forbidden:
        return ReachDecision(False, "the built-in rule", f"{site} is {kind.description}, which is never connected to.")
    coverage, subresources = ruleset.coverage(site), ruleset.defaults.subresources
    may_be_local = kind is not None or is_private_network_name(site.host) or coverage.has_specific_rule
    is_within = within is None or any_covers(within, site)
    permit = coverage.permit("read")
    if opened and is_within and permit.verdict == "allow":
        return ReachDecision(True, permit.rule, f"The agent may open {site}.", may_be_local)
    listed = _list_entry(subresources, site)
    if listed is not None:
        pattern, allowed = listed
        rule = f'policy.subresources.{"allow" if allowed else "deny"} ("{pattern}")'
        return ReachDecision(allowed, rule, f"{site} is listed in {rule}.", may_be_local)
    if not is_within:
        return ReachDecision(False, SESSION_DOMAINS, f"{site} is not one of the session's domains.")
    allowed, rule = permit.verdict == "allow", permit.rule
    if not permit.explicit and subresources.uncovered != "rules":
        allowed, rule = subresources.uncovered == "allow", f'policy.subresources.uncovered = "{subresources.uncovered}"'
    return ReachDecision(allowed, rule, f"{site} is covered by {rule}.", may_be_local)


def _list_entry(subresources: Subresources, site: Site) -> tuple[Pattern, bool] | None:
    for pattern in covering_patterns(site):
        if pattern in subresources.deny:
            return pattern, False
        if pattern in subresources.allow:
            return pattern, True
    return None
