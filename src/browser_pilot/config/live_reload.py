"""What is in force now: the settings and the rules, read again when their files change.

Two files count: `config.toml` and the rules that people made. Each is taken as a whole or not at all: an edit with a
mistake in it leaves everything as it was, and ``problem`` says what is wrong until it is put right. Readers take
``settings`` and ``rules`` when they need them and never keep them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from .approvals.rules_store import RulesStore
from .config import Settings, config_path
from .errors import SettingsError
from .policy.hosts import parse_host
from .policy.patterns import Pattern, PatternError, parse_pattern
from .policy.rules import Rule, Ruleset
from .rulebook import compile_policy

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
USUAL_PORTS = (80, 443)

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A person changed the rules: what they had said of the pattern before, and what they say now."""

    pattern: Pattern
    before: Rule | None
    after: Rule | None


class InForce:
    """Starts from settings that were loaded already; raises ``SettingsError`` if their rules or people's are wrong.

    ``load`` reads the settings again, and checks what else depends on them. ``on_rule`` is told of every change that
    people make to their rules, from whichever process.
    """

    def __init__(
        self,
        settings: Settings,
        store: RulesStore,
        *,
        home: Path,
        load: Callable[[], Settings],
        on_rule: Callable[[RuleChange], None],
    ) -> None:
        self._load = load
        self._store = store
        self._on_rule = on_rule
        self._files = (config_path(home), store.path)
        self._stamps = self._look()
        self._configured = compile_policy(settings.policy)
        self._by_people = store.load()
        self._built_in: tuple[Rule, ...] = ()
        self.settings = settings
        self.rules = self._all_rules()
        self.problem: SettingsError | None = None

    def add_built_in(self, rules: Iterable[Rule]) -> None:
        """Rules of the program itself, which no setting changes."""
        self._built_in = (*self._built_in, *rules)
        self.rules = self._all_rules()

    def reload(self) -> None:
        """Read both files again; of a file with a mistake, what was read before stays in force."""
        self._stamps = self._look()
        problems: list[SettingsError] = []
        try:
            settings = self._load()
            configured = compile_policy(settings.policy)
        except SettingsError as error:
            problems.append(error)
        else:
            self.settings, self._configured = settings, configured
        before = self._by_people
        try:
            self._by_people = self._store.load()
        except SettingsError as error:
            problems.append(error)
        self.rules = self._all_rules()
        for change in _changes(before, self._by_people):
            self._on_rule(change)
        self.problem = problems[0] if problems else None
        for problem in problems:
            logger.warning("a change was not taken, what held before still does: %s", problem)
        if not problems:
            logger.info("the settings and rules were read again")

    async def watch(self, on_change: Callable[[Settings], None]) -> None:
        """Reload whenever a file has changed, and tell the settings then in force, for as long as this runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._look() != self._stamps:
                self.reload()
                on_change(self.settings)

    def _all_rules(self) -> Ruleset:
        return self._configured.with_rules((*self._by_people, *self._built_in))

    def _look(self) -> tuple[_Stamp | None, ...]:
        return tuple(_stamp(path) for path in self._files)


def _changes(before: Iterable[Rule], after: Iterable[Rule]) -> Iterator[RuleChange]:
    old = {rule.pattern: rule for rule in before}
    new = {rule.pattern: rule for rule in after}
    for pattern in {**old, **new}:
        if old.get(pattern) != new.get(pattern):
            yield RuleChange(pattern, old.get(pattern), new.get(pattern))


def keep_out_of_the_hub(host: str, port: int, more_names: Iterable[str] = ()) -> tuple[Rule, ...]:
    """An agent's browser never opens the hub itself: it could be led to answer its own questions.

    ``more_names`` are Host headers that the hub answers to as well; one without a port stands at the usual ones.
    """
    names = {"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", f"[{host}]" if ":" in host else host}  # noqa: S104
    hosts = {parsed for name in names if (parsed := parse_host(name)) is not None}
    patterns = [Pattern(name, port=port) for name in sorted(hosts)]
    patterns.append(Pattern("localhost", wildcard=True, port=port))
    for name in more_names:
        with suppress(PatternError):
            more = parse_pattern(name)
            patterns += [replace(more, port=port) for port in ([more.port] if more.port else USUAL_PORTS)]
    return tuple(Rule(pattern=pattern, read="deny", write="deny", source="built in") for pattern in patterns)


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
