"""What holds on one site, as a person would say it, and how they change it: the side panel's view of the policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from ..approvals.lasting import site_pattern
from ..approvals.rules_store import RulesStore
from ..bridge.wire import Json
from ..errors import InvalidArgument
from ..policy.hosts import Site, page_site
from ..policy.patterns import Pattern
from ..policy.rules import Rule, Ruleset

# From nothing to everything: not even looked at, looked at only, asked before acting, acting by itself.
Level = Literal["block", "look", "ask", "free"]
LEVELS: tuple[Level, ...] = get_args(Level)
BY_USER = "the side panel"


class SiteRules:
    """``rules`` gives those in force; ``changed`` takes over what was written."""

    def __init__(self, store: RulesStore, *, rules: Callable[[], Ruleset], changed: Callable[[], object]) -> None:
        self._store = store
        self._rules = rules
        self._changed = changed

    def describe(self, url: str) -> Json | None:
        """None for a page that rules do not speak of: a blank one, or one of the browser's own."""
        site = _site(url)
        if site is None:
            return None
        level, rule = level_of(self._rules(), site)
        pattern = site_pattern(site)
        own = pattern is not None and any(one.pattern == pattern for one in self._store.load())
        return {"site": str(site), "level": level, "rule": rule, "own": own}

    def change(self, url: str, level: str) -> None:
        """Write the user's rule for the site over what they said before; "default" takes it back."""
        site = _site(url)
        pattern = None if site is None else site_pattern(site)
        if site is None or pattern is None:
            raise InvalidArgument("No rule can be made for this page.")
        rule = _rule(pattern, level)
        self._store.forget(pattern)
        if rule is not None:
            self._store.put(rule)
        self._changed()


def level_of(rules: Ruleset, site: Site) -> tuple[Level, str]:
    """What agents may do on a site in the user's own browser, and the rule that says so."""
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
    asking = coverage.asking()
    if asking is not None and asking.requires_approval is not None:
        return ("ask" if asking.requires_approval else "free"), asking.label
    return ("ask" if mode == "ask" else "free"), mode_rule


def _rule(pattern: Pattern, level: str) -> Rule | None:
    match level:
        case "default":
            return None
        case "block":
            return Rule(pattern=pattern, read="deny", write="deny", source=BY_USER)
        case "look":
            return Rule(pattern=pattern, read="allow", write="deny", source=BY_USER)
        case "ask":
            return Rule(pattern=pattern, read="allow", write="ask", source=BY_USER)
        case "free":
            return Rule(pattern=pattern, read="allow", write="allow", mode="auto", source=BY_USER)
        case _:
            raise InvalidArgument(f"{level!r} is no level.", suggestions=[f"Levels: default, {', '.join(LEVELS)}."])


def _site(url: str) -> Site | None:
    site = page_site(url)
    return site if site is not None and site.host else None
