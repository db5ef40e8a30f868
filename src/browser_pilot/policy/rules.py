"""Policy rules per domain, and the rule set in force.

Each field of a rule is decided by the most specific rule that sets it: a host with its port before the host, the host
before wildcards, longer wildcards before shorter ones, ``*`` last. Among rules for the same pattern "deny" wins;
otherwise the later one does (the order is defaults, template, configuration, approval decisions). A permission that no
rule sets is decided by the ``uncovered`` default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .hosts import Site
from .patterns import Pattern, covering_patterns, registrable_domain
from .sensitivity import SensitivePatterns
from .types import EngineKind, Mode, Permission, Threshold, ThresholdScope, Verdict, strictest_mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The policy for the sites that ``pattern`` covers. None means that this rule does not set the field.

    ``read`` and ``write`` are permissions; the other fields decide when approval is required. ``mode`` may loosen
    ``ask`` to ``auto``, but never ``readonly``. ``ask_from`` is the lowest risk that requires approval.
    ``requires_approval`` overrides both: True requires approval for every write, False for none.
    """

    pattern: Pattern
    read: Verdict | None = None
    write: Verdict | None = None
    requires_approval: bool | None = None
    ask_from: Threshold | None = None
    max_steps_per_hour: int | None = None
    mode: Mode | None = None
    source: str = "config.toml"

    def __post_init__(self) -> None:
        # Writing implies reading: an allowed write is of no use on a page that may not be read.
        if self.read is None and self.write in ("allow", "ask"):
            object.__setattr__(self, "read", "allow")

    @property
    def sets_approval(self) -> bool:
        return self.requires_approval is not None or self.ask_from is not None

    @property
    def label(self) -> str:
        return f'the rule for "{self.pattern}" ({self.source})'


@dataclass(frozen=True, slots=True)
class Permit:
    """A verdict, and the rule or setting it comes from. ``explicit`` when a rule for the site set it."""

    verdict: Verdict
    rule: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class HourlyLimit:
    """At most ``steps`` per hour for all hosts that share ``key``."""

    key: str
    steps: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The rules that cover one site, most specific first, and the default for what they do not set."""

    site: Site
    uncovered: Verdict
    rules: tuple[Rule, ...] = ()

    def permit(self, permission: Permission) -> Permit:
        for rule in self.rules:
            verdict = rule.read if permission == "read" else rule.write
            if verdict is not None:
                return Permit(verdict, rule.label, explicit=True)
        return Permit(self.uncovered, f'policy.uncovered = "{self.uncovered}"', explicit=False)

    def mode(self) -> tuple[Mode, str] | None:
        return next(((rule.mode, rule.label) for rule in self.rules if rule.mode is not None), None)

    def approval_rule(self) -> Rule | None:
        """The most specific rule that sets when approval is required."""
        return next((rule for rule in self.rules if rule.sets_approval), None)

    def hourly_limit(self) -> HourlyLimit | None:
        for rule in self.rules:
            if rule.max_steps_per_hour is not None:
                # "*" limits each domain separately; any other pattern is one limit for all its hosts.
                key = registrable_domain(self.site.host) if rule.pattern.covers_everything else str(rule.pattern)
                return HourlyLimit(key, rule.max_steps_per_hour)
        return None

    @property
    def has_specific_rule(self) -> bool:
        """Whether a rule other than ``*`` covers this site."""
        return any(not rule.pattern.covers_everything for rule in self.rules)


def _default_modes() -> dict[EngineKind, Mode]:
    return {"managed": "auto", "own": "ask"}


def _default_ask_from() -> dict[ThresholdScope, Threshold]:
    return {"own": "low", "managed": "high", "loopback": "never"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subresources:
    """What pages may load in managed browsers; see ``decide_reach``."""

    allow: frozenset[Pattern] = frozenset()
    deny: frozenset[Pattern] = frozenset()
    uncovered: Literal["rules", "allow", "deny"] = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The policy where no rule applies. A ``step_budget`` of None sets no limit."""

    modes: Mapping[EngineKind, Mode] = field(default_factory=_default_modes)
    uncovered: Verdict = "allow"
    ask_from: Mapping[ThresholdScope, Threshold] = field(default_factory=_default_ask_from)
    step_budget: int | None = None
    sensitive: SensitivePatterns = field(default_factory=SensitivePatterns)
    subresources: Subresources = Subresources()


class Ruleset:
    """All rules, indexed by pattern for a lookup in a few dictionary reads. Immutable."""

    __slots__ = ("_by_pattern", "defaults", "rules")

    def __init__(self, rules: Iterable[Rule] = (), defaults: Defaults | None = None) -> None:
        self.rules = tuple(rules)
        self.defaults = defaults or Defaults()
        by_pattern: dict[Pattern, Rule] = {}
        for rule in self.rules:
            earlier = by_pattern.get(rule.pattern)
            by_pattern[rule.pattern] = rule if earlier is None else _merge(earlier, rule)
        self._by_pattern = by_pattern

    def with_rules(self, rules: Iterable[Rule]) -> Ruleset:
        return Ruleset((*self.rules, *rules), self.defaults)

    def coverage(self, site: Site) -> Coverage:
        if not site.host:
            return Coverage(site, "allow")
        found = [rule for pattern in covering_patterns(site) if (rule := self._by_pattern.get(pattern)) is not None]
        return Coverage(site, self.defaults.uncovered, tuple(found))

    def sites_below(self, site: Site) -> Iterator[Site]:
        """A site for each rule about a name below this one."""
        for pattern in self._by_pattern:
            if pattern.host.endswith(f".{site.host}"):
                yield Site(site.scheme, pattern.host, site.port if pattern.port is None else pattern.port)

    def mode(self, engine: EngineKind, coverage: Coverage, session_mode: Mode | None) -> tuple[Mode, str]:
        """The mode in force and what set it: read-only is never loosened, and a session only tightens."""
        mode, rule = self.defaults.modes[engine], "policy.mode"
        own = coverage.mode()
        if mode != "readonly" and own is not None:
            mode, rule = own
        if session_mode is not None and strictest_mode((mode, session_mode)) != mode:
            mode, rule = session_mode, "the session's mode"
        return mode, rule


def _merge(earlier: Rule, later: Rule) -> Rule:
    asking = later if later.sets_approval else earlier
    limits = [limit for limit in (earlier.max_steps_per_hour, later.max_steps_per_hour) if limit is not None]
    return replace(
        later,
        read=_deny_or_later(earlier.read, later.read),
        write=_deny_or_later(earlier.write, later.write),
        requires_approval=asking.requires_approval,
        ask_from=asking.ask_from,
        max_steps_per_hour=min(limits, default=None),
        mode="readonly" if "readonly" in (earlier.mode, later.mode) else later.mode or earlier.mode,
        source=later.source if earlier.source == later.source else f"{earlier.source}, {later.source}",
    )


def _deny_or_later(earlier: Verdict | None, later: Verdict | None) -> Verdict | None:
    return "deny" if "deny" in (earlier, later) else later or earlier
