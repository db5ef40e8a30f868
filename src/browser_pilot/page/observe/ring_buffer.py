"""A bounded buffer of numbered entries: the newest are kept, how many were dropped is known. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Numbered(Protocol):
    @property
    def number(self) -> int: ...


E = TypeVar("E", bound=Numbered)


@dataclass(frozen=True, slots=True)
class Slice(Generic[E]):
    """Some entries, oldest first, and how many that also match are before them."""

    entries: tuple[E, ...]
    earlier: int


class Ring(Generic[E]):
    def __init__(self, capacity: int) -> None:
        self._entries: deque[E] = deque(maxlen=capacity)
        self._count = 0
        self._listeners: list[Callable[[], None]] = []

    def __iter__(self) -> Iterator[E]:
        return iter(self._entries)

    def next_number(self) -> int:
        return self._count + 1

    def add(self, entry: E) -> None:
        self._count += 1
        self._entries.append(entry)
        self.stir()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` for each entry that is new or has new things to say."""
        self._listeners.append(listener)

    def renew(self, old: E, new: E) -> None:
        """Put an entry that says more in the place of another, if that one is still kept."""
        if old in self._entries:
            self._entries[self._entries.index(old)] = new
            self.stir()

    def stir(self) -> None:
        """Something is known now about an entry that was not known before."""
        for listener in self._listeners:
            listener()

    def latest(self, wanted: Callable[[E], bool], *, limit: int, before: int | None = None) -> Slice[E]:
        """The newest entries that are wanted, of those with a number below ``before``."""
        fitting = [entry for entry in self._entries if (before is None or entry.number < before) and wanted(entry)]
        return Slice(tuple(fitting[-limit:]), max(0, len(fitting) - limit))
