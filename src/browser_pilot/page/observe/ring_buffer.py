"""A bounded buffer of numbered entries that keeps the newest. Pure."""

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
    """Matching entries, oldest first; ``earlier`` is how many more match before them."""

    entries: tuple[E, ...]
    earlier: int


class RingBuffer(Generic[E]):
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
        self.notify()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever an entry is added or changed."""
        self._listeners.append(listener)

    def replace(self, old: E, new: E) -> None:
        """Replace an entry, if it is still in the buffer."""
        if old in self._entries:
            self._entries[self._entries.index(old)] = new
            self.notify()

    def notify(self) -> None:
        """Call the listeners: an entry was changed in place."""
        for listener in self._listeners:
            listener()

    def latest(self, matches: Callable[[E], bool], *, limit: int, before: int | None = None) -> Slice[E]:
        """The newest matching entries, of those with a number below ``before``."""
        matching = [entry for entry in self._entries if (before is None or entry.number < before) and matches(entry)]
        return Slice(tuple(matching[-limit:]), max(0, len(matching) - limit))
