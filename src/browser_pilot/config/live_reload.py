"""Hot reload: the current settings and policy rules, read again when their files change.

Two files count: `config.toml` and the rules that users made (`user_rules`). A reload accepts each file as a whole or
not at all: an invalid edit leaves the previous state in force, and ``problem`` describes the error until it is fixed.
Consumers read ``settings`` and ``rules`` when they need them and never keep a copy.

Lifecycle: created from settings that are already loaded; ``watch`` polls the files for as long as it runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from browser_pilot.errors import SettingsError
from browser_pilot.policy.hosts import parse_host
from browser_pilot.policy.patterns import Pattern, PatternError, parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset

from .policy_rules import compile_policy
from .settings import Settings, config_path
from .user_rules import UserRulesStore

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
DEFAULT_PORTS = (80, 443)

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A user rule for a pattern was added, replaced or removed."""

    pattern: Pattern
    before: Rule | None
    after: Rule | None


class CurrentConfig(Protocol):
    """Read access to a ``LiveConfig``, for consumers that neither reload nor change it."""

    @property
    def settings(self) -> Settings: ...

    @property
    def rules(self) -> Ruleset: ...


class LiveConfig:
    """Raises ``SettingsError`` at the start if the configured rules or the user rules are invalid.

    ``load`` reads the settings again and validates what depends on them. ``on_rule`` is called for every change of the
    user rules, whichever process made it.
    """

    def __init__(
        self,
        settings: Settings,
        store: UserRulesStore,
        *,
        home: Path,
        load: Callable[[], Settings],
        on_rule: Callable[[RuleChange], None],
    ) -> None:
        self._load = load
        self._store = store
        self._on_rule = on_rule
        self._listeners: list[Callable[[], None]] = []
        self._files = (config_path(home), store.path)
        self._stamps = self._read_stamps()
        self._configured = compile_policy(settings.policy)
        self._built_in: tuple[Rule, ...] = ()
        self.user_rules = store.load()
        self.settings = settings
        self.rules = self._all_rules()
        self.problem: SettingsError | None = None

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every reload, successful or not, and after every change of the rules."""
        self._listeners.append(listener)

    def add_built_in(self, rules: Iterable[Rule]) -> None:
        """Add rules of the program itself, which no setting overrides."""
        self._built_in = (*self._built_in, *rules)
        self.rules = self._all_rules()
        self._notify()

    def put_rule(self, rule: Rule) -> None:
        """Store a user rule, merged with the one that its pattern has, and apply it."""
        self._store.put(rule)
        self.reload()

    def replace_rule(self, pattern: Pattern, rule: Rule | None) -> None:
        """Store ``rule`` as the only user rule of ``pattern``, or remove that rule, and apply the change."""
        self._store.remove(pattern)
        if rule is not None:
            self._store.put(rule)
        self.reload()

    def reload(self) -> SettingsError | None:
        """Read both files again. An invalid file keeps its previous content in force; returns the first error."""
        self._stamps = self._read_stamps()
        problems: list[SettingsError] = []
        try:
            settings = self._load()
            configured = compile_policy(settings.policy)
        except SettingsError as error:
            problems.append(error)
        else:
            self.settings, self._configured = settings, configured
        before = self.user_rules
        try:
            self.user_rules = self._store.load()
        except SettingsError as error:
            problems.append(error)
        self.rules = self._all_rules()
        for change in _changes(before, self.user_rules):
            self._on_rule(change)
        self.problem = problems[0] if problems else None
        for problem in problems:
            logger.warning("invalid change ignored, the previous configuration stays in force: %s", problem)
        if not problems:
            logger.info("settings and rules reloaded")
        self._notify()
        return self.problem

    async def watch(self) -> None:
        """Reload whenever a file has changed, until cancelled."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self._read_stamps() != self._stamps:
                self.reload()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _all_rules(self) -> Ruleset:
        return self._configured.with_rules((*self.user_rules, *self._built_in))

    def _read_stamps(self) -> tuple[_Stamp | None, ...]:
        return tuple(_stamp(path) for path in self._files)


def _changes(before: Iterable[Rule], after: Iterable[Rule]) -> Iterator[RuleChange]:
    old = {rule.pattern: rule for rule in before}
    new = {rule.pattern: rule for rule in after}
    for pattern in {**old, **new}:
        if old.get(pattern) != new.get(pattern):
            yield RuleChange(pattern, old.get(pattern), new.get(pattern))


def self_protection_rules(host: str, port: int, allowed_hosts: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Deny the hub's own addresses to agents: an agent on the dashboard could approve its own requests.

    ``allowed_hosts`` are further Host headers that the hub accepts; one without a port is denied at the default ports.
    """
    names = {"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", f"[{host}]" if ":" in host else host}  # noqa: S104
    hosts = {parsed for name in names if (parsed := parse_host(name)) is not None}
    patterns = [Pattern(name, port=port) for name in sorted(hosts)]
    patterns.append(Pattern("localhost", wildcard=True, port=port))
    for name in allowed_hosts:
        with suppress(PatternError):
            allowed = parse_pattern(name)
            patterns += [replace(allowed, port=port) for port in ([allowed.port] if allowed.port else DEFAULT_PORTS)]
    return tuple(Rule(pattern=pattern, read="deny", write="deny", source="built in") for pattern in patterns)


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
