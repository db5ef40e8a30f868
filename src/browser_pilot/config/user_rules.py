"""Rules made by the user (an "always", a "block", `browser-pilot policy allow`), stored apart from the configuration.

One private JSON file in the home, replaced atomically. At most one rule per pattern: the last one counts, so a blocked
site can be allowed again. A damaged file is never read as "no rules": that would drop the user's denials.

The hub and the command line may write at the same time: each change reads, modifies and writes under a lock.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from browser_pilot.errors import SettingsError
from browser_pilot.file_lock import locked
from browser_pilot.home import write_private
from browser_pilot.policy.patterns import Pattern, PatternError, parse_pattern
from browser_pilot.policy.rules import Rule
from browser_pilot.policy.types import Mode, Threshold, Verdict

LOCK_TIMEOUT_SECONDS = 5.0


class _StoredRule(BaseModel):
    """A rule in the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: str
    read: Verdict | None = None
    write: Verdict | None = None
    requires_approval: bool | None = None
    ask_from: Threshold | None = None
    mode: Mode | None = None
    by: str
    at: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    rules: tuple[_StoredRule, ...] = ()


def rules_path(home: Path) -> Path:
    return home / "rules.json"


class UserRulesStore:
    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = rules_path(home)
        self._lock = home / "run" / "rules.lock"
        self._clock = clock

    def load(self) -> tuple[Rule, ...]:
        """The rules on disk, oldest first. Raises ``SettingsError`` for a damaged or unreadable file."""
        return tuple(self._rule(entry) for entry in self._read().rules)

    def put(self, rule: Rule) -> None:
        """Store a rule. Fields that it leaves open keep their previous value, unless either rule denies something."""
        with self._locked():
            entries = self._read().rules
            before = next((entry for entry in entries if entry.pattern == str(rule.pattern)), None)
            entry = self._entry(rule, before)
            self._write((*(one for one in entries if one.pattern != entry.pattern), entry))

    def remove(self, pattern: Pattern) -> bool:
        """Remove the rule of a pattern; False when there is none."""
        with self._locked():
            entries = self._read().rules
            before = next((entry for entry in entries if entry.pattern == str(pattern)), None)
            if before is None:
                return False
            self._write(one for one in entries if one is not before)
        return True

    @contextmanager
    def _locked(self) -> Generator[None]:
        lock = ExitStack()
        try:
            lock.enter_context(locked(self._lock, timeout_seconds=LOCK_TIMEOUT_SECONDS))
        except TimeoutError:
            raise SettingsError(
                f"{self.path} is being changed by another process.", suggestions=["Try again in a moment."]
            ) from None
        with lock:
            yield

    def _read(self) -> _File:
        try:
            return _File.model_validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return _File()
        except OSError as error:
            raise SettingsError(
                f"{self.path} cannot be read: {error.strerror}", suggestions=["Make the file readable for your user."]
            ) from None
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in problem["loc"])
            raise self._damaged(f"{where}: {problem['msg']}" if where else problem["msg"]) from None

    def _write(self, entries: Iterable[_StoredRule]) -> None:
        content = _File(rules=tuple(entries)).model_dump(exclude_none=True)
        try:
            write_private(self.path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(
                f"The rule could not be written to {self.path}: {error.strerror}.",
                suggestions=["Free some space, or make the folder writable for your user."],
            ) from None

    def _entry(self, rule: Rule, before: _StoredRule | None) -> _StoredRule:
        given = _StoredRule(
            pattern=str(rule.pattern),
            read=rule.read,
            write=rule.write,
            requires_approval=rule.requires_approval,
            ask_from=rule.ask_from,
            mode=rule.mode,
            by=rule.source,
            at=datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds"),
        )
        if before is None or "deny" in (rule.read, rule.write, before.read, before.write):
            return given
        return before.model_copy(update=given.model_dump(exclude_none=True))

    def _rule(self, entry: _StoredRule) -> Rule:
        try:
            pattern = parse_pattern(entry.pattern)
        except PatternError as error:
            raise self._damaged(str(error)) from None
        return Rule(
            pattern=pattern,
            read=entry.read,
            write=entry.write,
            requires_approval=entry.requires_approval,
            ask_from=entry.ask_from,
            mode=entry.mode,
            source=f"{entry.by}, {entry.at[:10]}",
        )

    def _damaged(self, why: str) -> SettingsError:
        return SettingsError(
            f"{self.path} is damaged: {why}.",
            suggestions=[f"Correct {self.path}, or move it away and add the rules again with `browser-pilot policy`."],
        )
