"""The rules that approval decisions create: "always on this site", "deny and block the site", a site for a session.

Pure. An "always" never exceeds what was shown: it allows actions up to the risk of this one, on this site only. A
payment still requires approval where a sign-in was always allowed.
"""

from __future__ import annotations

from browser_pilot.policy.decide import PolicyDecision
from browser_pilot.policy.hosts import DEFAULT_PORTS, Site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Coverage, Rule
from browser_pilot.policy.types import MUTATING_EFFECTS, PERMISSION_OF, Effect, Risk, Threshold

SOURCE = "your answer"
_THRESHOLD_ABOVE: dict[Risk, Threshold] = {"low": "medium", "medium": "high", "high": "never"}


def site_pattern(site: Site) -> Pattern | None:
    """The pattern for exactly this site; None for a blank page."""
    if not site.host:
        return None
    return Pattern(site.host, port=None if site.port == DEFAULT_PORTS[site.scheme] else site.port)


def allow_site(coverage: Coverage) -> Rule | None:
    """Allow using the site. An existing rule for writing there stays in force."""
    pattern = site_pattern(coverage.site)
    if pattern is None:
        return None
    write = None if coverage.permit("write").explicit else "allow"
    return Rule(pattern=pattern, read="allow", write=write, source=SOURCE)


def allow_action(decision: PolicyDecision, effect: Effect) -> Rule | None:
    """Allow this action, and others of the same or lower risk, on the site without approval.

    None for executable files, local files and scripts: each requires approval, because the next one may do anything.
    """
    pattern = None if decision.site is None else site_pattern(decision.site)
    if pattern is None or decision.category in ("run", "local_file", "script"):
        return None
    return Rule(
        pattern=pattern,
        read="allow",
        write="allow" if PERMISSION_OF[effect] == "write" else None,
        ask_from=_THRESHOLD_ABOVE[decision.risk],
        mode="auto" if effect in MUTATING_EFFECTS else None,
        source=SOURCE,
    )


def block_site(site: Site) -> Rule | None:
    pattern = site_pattern(site)
    return None if pattern is None else Rule(pattern=pattern, read="deny", write="deny", source=SOURCE)
