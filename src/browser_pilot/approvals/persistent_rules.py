"""The rules that answers make: "always on this site", "no, and block the site", and a site for this session. Pure.

An "always" is never more than what was shown: it lifts the asking for actions up to the risk of this one, on this site
alone. A payment still asks where a sign-in was always allowed.
"""

from __future__ import annotations

from ..policy.decide import Decision
from ..policy.hosts import DEFAULT_PORTS, Site
from ..policy.patterns import Pattern
from ..policy.rules import Coverage, Rule
from ..policy.vocabulary import ACTS, PERMISSION_OF, Effect, Risk, Threshold

BY_ANSWER = "your answer"
_NEXT_HIGHER: dict[Risk, Threshold] = {"low": "medium", "medium": "high", "high": "never"}


def site_pattern(site: Site) -> Pattern | None:
    """The pattern that a person means by this site; None for a blank page, which is nobody's."""
    if not site.host:
        return None
    return Pattern(site.host, port=None if site.port == DEFAULT_PORTS[site.scheme] else site.port)


def allow_site(coverage: Coverage) -> Rule | None:
    """The site may be used. What a rule says of writing there stays as it is."""
    pattern = site_pattern(coverage.site)
    if pattern is None:
        return None
    write = None if coverage.permit("write").explicit else "allow"
    return Rule(pattern=pattern, read="allow", write=write, source=BY_ANSWER)


def allow_action(decision: Decision, effect: Effect) -> Rule | None:
    """Such an action may happen on the site without a question, and anything that is no riskier.

    There is no such rule for files that can run: each is asked about.
    """
    pattern = None if decision.site is None else site_pattern(decision.site)
    if pattern is None or decision.category == "run":
        return None
    return Rule(
        pattern=pattern,
        read="allow",
        write="allow" if PERMISSION_OF[effect] == "write" else None,
        ask_from=_NEXT_HIGHER[decision.risk],
        mode="auto" if effect in ACTS else None,
        source=BY_ANSWER,
    )


def block_site(site: Site) -> Rule | None:
    pattern = site_pattern(site)
    return None if pattern is None else Rule(pattern=pattern, read="deny", write="deny", source=BY_ANSWER)
