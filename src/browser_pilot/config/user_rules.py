"""Rules made by people (an "always", a "block", `browser-pilot policy allow`), kept apart from the configuration.

One JSON file in the home, private to its owner, replaced as a whole. At most one rule per pattern: the last word
counts, so that who blocked a site can allow it again. A damaged file is never read as "no rules": that would drop the
user's "no".

Processes may write at the same time (the hub and the command line): each change reads, changes and writes under a lock.
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

from ..errors import SettingsError
from ..home import write_private
from ..locks import held
from ..policy.patterns import Pattern, PatternError, parse_pattern
from ..policy.rules import Rule
from ..policy.vocabulary import Mode, Threshold, Verdict

LOCK_SECONDS = 5.0


class _Entry(BaseModel):
    """A rule as it is written down."""

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
    rules: tuple[_Entry, ...] = ()


def rules_path(home: Path) -> Path:
    return home / "rules.json"


class RulesStore:
    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = rules_path(home)
        self._lock = home / "run" / "rules.lock"
        self._clock = clock

    def load(self) -> tuple[Rule, ...]:
        """The rules on disk, oldest first. Raises ``SettingsError`` for a file that cannot be trusted."""
        return tuple(self._rule(entry) for entry in self._read().rules)

    def put(self, rule: Rule) -> None:
        """Write the rule over what people said before about its pattern; what it leaves open is kept, but for a no."""
        with self._changing():
            entries = self._read().rules
            before = next((entry for entry in entries if entry.pattern == str(rule.pattern)), None)
            entry = self._entry(rule, before)
            self._write((*(one for one in entries if one.pattern != entry.pattern), entry))

    def forget(self, pattern: Pattern) -> bool:
        """Take back what people said about a pattern; False when they had said nothing."""
        with self._changing():
            entries = self._read().rules
            before = next((entry for entry in entries if entry.pattern == str(pattern)), None)
            if before is None:
                return False
            self._write(one for one in entries if one is not before)
        return True

    @contextmanager
    def _changing(self) -> Generator[None]:
        lock = ExitStack()
        try:
            lock.enter_context(held(self._lock, timeout_seconds=LOCK_SECONDS))
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

    def _write(self, entries: Iterable[_Entry]) -> None:
        content = _File(rules=tuple(entries)).model_dump(exclude_none=True)
        try:
            write_private(self.path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(
                f"The rule could not be written to {self.path}: {error.strerror}.",
                suggestions=["Free some space, or make the folder writable for your user."],
            ) from None

    def _entry(self, rule: Rule, before: _Entry | None) -> _Entry:
        given = _Entry(
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

    def _rule(self, entry: _Entry) -> Rule:
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
            suggestions=[
                f"Correct {self.path}, or move it away and say again what you want with `browser-pilot policy`."
            ],
        )
