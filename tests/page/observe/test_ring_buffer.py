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


def test_latest_returns_the_newest_matches_and_counts_the_rest() -> None:
    found = filled(6, capacity=6).latest(lambda entry: entry.number % 2 == 0, limit=2)
    assert [entry.number for entry in found.entries] == [4, 6] and found.earlier == 1


def test_latest_before_a_number_continues_a_page() -> None:
    found = filled(6, capacity=6).latest(lambda _: True, limit=2, before=4)
    assert [entry.number for entry in found.entries] == [2, 3] and found.earlier == 1


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
