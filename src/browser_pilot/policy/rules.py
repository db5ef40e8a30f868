"""Rules per domain, and the set of them that is in force.

Each field of a rule is decided by the narrowest rule that sets it: a host with its port before the host, the host
before wildcards, longer wildcards before shorter ones, ``*`` last. Among rules for the same pattern a "no" wins;
otherwise the later one does (rules are given in the order defaults, template, configuration, answers that people
gave). A permission that no rule sets is for the ``uncovered`` default to decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .hosts import Site
from .patterns import Pattern, covering_patterns, registrable_domain
from .sensitivity import SensitivePatterns
from .vocabulary import Engine, Mode, Permission, Stake, Threshold, Verdict, strictest_mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What holds on the sites that ``pattern`` covers. None means that this rule does not say.

    ``read`` and ``write`` say what is permitted; the rest says when a person is asked. ``mode`` may loosen ``ask`` to
    ``auto``, but never ``readonly``. ``ask_from`` is the risk from which a sensitive action asks. ``requires_approval``
    goes over both: True asks before every write, False before none.
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
        # Who may write may look: an allowed write without a word on reading would be of no use.
        if self.read is None and self.write in ("allow", "ask"):
            object.__setattr__(self, "read", "allow")

    @property
    def says_when_to_ask(self) -> bool:
        return self.requires_approval is not None or self.ask_from is not None

    @property
    def label(self) -> str:
        return f'the rule for "{self.pattern}" ({self.source})'


@dataclass(frozen=True, slots=True)
class Permit:
    """A verdict, and the name of the rule or setting that gave it. ``explicit`` when a rule for the site did."""

    verdict: Verdict
    rule: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class HourlyLimit:
    """At most ``steps`` an hour for everything that shares ``key``."""

    key: str
    steps: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The rules that cover one site, narrowest first, and the default for what they leave open."""

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

    def asking(self) -> Rule | None:
        """The narrowest rule with a word on approval."""
        return next((rule for rule in self.rules if rule.says_when_to_ask), None)

    def hourly_limit(self) -> HourlyLimit | None:
        for rule in self.rules:
            if rule.max_steps_per_hour is not None:
                # "*" limits each domain by itself; any narrower pattern is one domain with all its hosts.
                key = registrable_domain(self.site.host) if rule.pattern.is_everything else str(rule.pattern)
                return HourlyLimit(key, rule.max_steps_per_hour)
        return None

    @property
    def names_site(self) -> bool:
        """Whether a rule other than ``*`` speaks of this site."""
        return any(not rule.pattern.is_everything for rule in self.rules)


def _default_modes() -> dict[Engine, Mode]:
    return {"managed": "auto", "own": "ask"}


def _default_ask_from() -> dict[Stake, Threshold]:
    return {"own": "low", "managed": "high", "loopback": "never"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subresources:
    """What pages may load in managed browsers; see ``reach``."""

    allow: frozenset[Pattern] = frozenset()
    deny: frozenset[Pattern] = frozenset()
    uncovered: Literal["rules", "allow", "deny"] = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds where no rule speaks. A missing ``step_budget`` sets no limit."""

    modes: Mapping[Engine, Mode] = field(default_factory=_default_modes)
    uncovered: Verdict = "allow"
    ask_from: Mapping[Stake, Threshold] = field(default_factory=_default_ask_from)
    step_budget: int | None = None
    sensitive: SensitivePatterns = field(default_factory=SensitivePatterns)
    subresources: Subresources = Subresources()


class Ruleset:
    """All rules, compiled so that a site is found in a few dictionary reads. Never changed: a new one is made."""

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

    def mode(self, engine: Engine, coverage: Coverage, session_mode: Mode | None) -> tuple[Mode, str]:
        """The mode in force and what set it: read-only is never loosened, and a session may only tighten."""
        mode, rule = self.defaults.modes[engine], "policy.mode"
        own = coverage.mode()
        if mode != "readonly" and own is not None:
            mode, rule = own
        if session_mode is not None and strictest_mode((mode, session_mode)) != mode:
            mode, rule = session_mode, "the session's mode"
        return mode, rule


def _merge(earlier: Rule, later: Rule) -> Rule:
    asking = later if later.says_when_to_ask else earlier
    limits = [limit for limit in (earlier.max_steps_per_hour, later.max_steps_per_hour) if limit is not None]
    return replace(
        later,
        read=_no_or_later(earlier.read, later.read),
        write=_no_or_later(earlier.write, later.write),
        requires_approval=asking.requires_approval,
        ask_from=asking.ask_from,
        max_steps_per_hour=min(limits, default=None),
        mode="readonly" if "readonly" in (earlier.mode, later.mode) else later.mode or earlier.mode,
        source=later.source if earlier.source == later.source else f"{earlier.source}, {later.source}",
    )


def _no_or_later(earlier: Verdict | None, later: Verdict | None) -> Verdict | None:
    return "deny" if "deny" in (earlier, later) else later or earlier
