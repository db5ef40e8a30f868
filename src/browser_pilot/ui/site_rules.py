"""The side panel's view of the policy: what agents may do on one site, as a level that the user can change."""

from __future__ import annotations

from typing import Literal, get_args

from browser_pilot.approvals.persistent_rules import site_pattern
from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.errors import InvalidArgument
from browser_pilot.json_types import JsonObject
from browser_pilot.policy.hosts import Site, page_site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule, Ruleset

# In increasing order: no access, read only, approval before each write, no approval needed.
SiteLevel = Literal["block", "look", "ask", "free"]
LEVELS: tuple[SiteLevel, ...] = get_args(SiteLevel)
RULE_SOURCE = "the side panel"


class SiteRules:
    def __init__(self, config: LiveConfig) -> None:
        self._config = config

    def describe(self, url: str) -> JsonObject | None:
        """None for a page that no rule applies to: a blank page or one of the browser's own."""
        site = _site(url)
        if site is None:
            return None
        level, rule = level_of(self._config.rules, site)
        pattern = site_pattern(site)
        own = pattern is not None and any(one.pattern == pattern for one in self._config.user_rules)
        return {"site": str(site), "level": level, "rule": rule, "own": own}

    def change(self, url: str, level: str) -> None:
        """Replace the user's rule for the site; "default" removes it."""
        site = _site(url)
        pattern = None if site is None else site_pattern(site)
        if site is None or pattern is None:
            raise InvalidArgument("No rule can be made for this page.")
        self._config.replace_rule(pattern, _rule(pattern, level))


def level_of(rules: Ruleset, site: Site) -> tuple[SiteLevel, str]:
    """What agents may do on a site in the user's own browser, and the rule that decides it."""
    coverage = rules.coverage(site)
    read, write = coverage.permit("read"), coverage.permit("write")
    mode, mode_rule = rules.mode("own", coverage, None)
    if read.verdict == "deny":
        return "block", read.rule
    if write.verdict == "deny":
        return "look", write.rule
    if mode == "readonly":
        return "look", mode_rule
    if "ask" in (read.verdict, write.verdict):
        return "ask", write.rule if write.verdict == "ask" else read.rule
    asking = coverage.approval_rule()
    if asking is not None and asking.requires_approval is not None:
        return ("ask" if asking.requires_approval else "free"), asking.label
    return ("ask" if mode == "ask" else "free"), mode_rule


def _rule(pattern: Pattern, level: str) -> Rule | None:
    match level:
        case "default":
            return None
        case "block":
            return Rule(pattern=pattern, read="deny", write="deny", source=RULE_SOURCE)
        case "look":
            return Rule(pattern=pattern, read="allow", write="deny", source=RULE_SOURCE)
        case "ask":
            return Rule(pattern=pattern, read="allow", write="ask", source=RULE_SOURCE)
        case "free":
            return Rule(pattern=pattern, read="allow", write="allow", mode="auto", source=RULE_SOURCE)
        case _:
            raise InvalidArgument(f"{level!r} is not a level.", suggestions=[f"Levels: default, {', '.join(LEVELS)}."])


def _site(url: str) -> Site | None:
    site = page_site(url)
    return site if site is not None and site.host else None
