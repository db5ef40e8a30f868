"""The ring buffer keeps the newest entries and reports changes."""

from __future__ import annotations

from dataclasses import dataclass

from browser_pilot.page.observe.ring_buffer import RingBuffer


@dataclass(frozen=True)
class Entry:
    number: int
    text: str = ""


def filled(count: int, capacity: int) -> RingBuffer[Entry]:
    buffer: RingBuffer[Entry] = RingBuffer(capacity)
    for _ in range(count):
        buffer.add(Entry(buffer.next_number()))
    return buffer


def test_the_newest_entries_are_kept_and_numbers_go_on() -> None:
    buffer = filled(5, capacity=3)
    assert [entry.number for entry in buffer] == [3, 4, 5]
    assert buffer.next_number() == 6


def test_what_newer_entries_displaced_is_counted() -> None:
    assert filled(5, capacity=3).evicted == 2
    assert filled(3, capacity=3).evicted == 0


def test_entries_are_unread_until_they_are_read_or_change() -> None:
    buffer = filled(3, capacity=3)
    assert all(map(buffer.is_unread, buffer))
    buffer.mark_read()
    first, second, _ = list(buffer)
    buffer.mark_unread(second)
    buffer.add(Entry(buffer.next_number()))
    assert [entry.number for entry in buffer if buffer.is_unread(entry)] == [2, 4]
    buffer.mark_unread(first)
    assert not buffer.is_unread(first)


def test_listeners_are_called_for_new_and_changed_entries() -> None:
    buffer, changes = filled(1, capacity=2), [0]

    def count() -> None:
        changes[0] += 1

    buffer.on_change(count)
    first = next(iter(buffer))
    buffer.replace(first, Entry(1, "more"))
    buffer.add(Entry(2))
    buffer.notify()
    assert changes[0] == 3
    assert [entry.text for entry in buffer] == ["more", ""]


def test_an_entry_that_was_dropped_is_not_replaced() -> None:
    buffer = filled(2, capacity=1)
    buffer.replace(Entry(1), Entry(1, "more"))
    assert list(buffer) == [Entry(2)]
