"""What a page may load: whether a managed browser may connect to a host at all.

Navigation rules say where the agent may go; ``Subresources`` says what the pages it opened may fetch, so that a page
has its CDN without the agent being let onto it. The lists ``allow`` and ``deny`` come first, the narrower pattern
before the wider and "no" among equals; then a rule's word on reading; then ``uncovered``, where "rules" means as for
navigation. A site that would have to be asked for is refused: nobody can be asked in the middle of a page load.

A site that the agent was let open is a matter of the navigation rules alone: what it loads from itself goes the same
way, and nobody could use a site whose pages come and whose pictures do not.

Whether a *local* address may be behind a name is answered here too; who is asking for it, the proxy finds out.
"""

from __future__ import annotations

from dataclasses import dataclass

from .hosts import Site, address_class
from .patterns import Pattern, any_covers, covering_patterns, is_own_network_name
from .rules import Ruleset, Subresources


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a connection may be made, by which rule; ``may_be_local`` when its address may be a local one."""

    allowed: bool
    rule: str
    reason: str
    may_be_local: bool = False


def reach(ruleset: Ruleset, site: Site, within: tuple[Pattern, ...] | None = None, *, opened: bool = False) -> Reach:
    """``within`` are the session's own domains, which hold for everything but the list ``allow``."""
    kind = address_class(site.host)
    if kind is not None and kind.is_forbidden:
        return Reach(False, "the built-in rule", f"{site} is {kind.described}, which is never reached.")
    coverage, subresources = ruleset.coverage(site), ruleset.defaults.subresources
    may_be_local = kind is not None or is_own_network_name(site.host) or coverage.names_site
    is_within = within is None or any_covers(within, site)
    permit = coverage.permit("read")
    if opened and is_within and permit.verdict == "allow":
        return Reach(True, permit.rule, f"The agent may open {site}.", may_be_local)
    listed = _listed(subresources, site)
    if listed is not None:
        pattern, allowed = listed
        rule = f'policy.subresources.{"allow" if allowed else "deny"} ("{pattern}")'
        return Reach(allowed, rule, f"{site} is listed in {rule}.", may_be_local)
    if not is_within:
        return Reach(False, "the session's domains", f"{site} is not one of the session's domains.")
    allowed, rule = permit.verdict == "allow", permit.rule
    if not permit.explicit and subresources.uncovered != "rules":
        allowed, rule = subresources.uncovered == "allow", f'policy.subresources.uncovered = "{subresources.uncovered}"'
    return Reach(allowed, rule, f"{site} falls under {rule}.", may_be_local)


def _listed(subresources: Subresources, site: Site) -> tuple[Pattern, bool] | None:
    for pattern in covering_patterns(site):
        if pattern in subresources.deny:
            return pattern, False
        if pattern in subresources.allow:
            return pattern, True
    return None
