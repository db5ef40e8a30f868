"""A bounded buffer of numbered entries that keeps the newest, and knows which of them its reader has not seen. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar


class Numbered(Protocol):
    @property
    def number(self) -> int: ...


E = TypeVar("E", bound=Numbered)


class RingBuffer(Generic[E]):
    def __init__(self, capacity: int) -> None:
        self._entries: deque[E] = deque(maxlen=capacity)
        self._count = 0
        # Numbers of the entries that were added or changed since the last ``mark_read``.
        self._unread: set[int] = set()
        self._listeners: list[Callable[[], None]] = []

    def __iter__(self) -> Iterator[E]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def evicted(self) -> int:
        """How many entries newer ones have displaced."""
        return self._count - len(self._entries)

    def next_number(self) -> int:
        return self._count + 1

    def add(self, entry: E) -> None:
        self._count += 1
        if len(self._entries) == self._entries.maxlen:
            self._unread.discard(self._entries[0].number)
        self._entries.append(entry)
        self._unread.add(entry.number)
        self.notify()

    def is_unread(self, entry: E) -> bool:
        return entry.number in self._unread

    def mark_unread(self, entry: E) -> None:
        """The entry, which may have been read, says something new."""
        if self._entries and entry.number >= self._entries[0].number:
            self._unread.add(entry.number)

    def mark_read(self) -> None:
        """All entries have been read."""
        self._unread.clear()

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
