"""Pages of the console and network log: filtered and redacted without holding up the event loop."""

from __future__ import annotations

from typing import Any, cast

from browser_pilot.mcp_server.tools.log_page import BRIEF_TOKENS, LogRow, PageRange, contains, log_page
from browser_pilot.page.observe.console import CAPACITY, ConsoleEntry
from browser_pilot.page.observe.ring_buffer import RingBuffer
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.offloading import redact
from browser_pilot.redaction.redactor import Redactor
from tests.loop_blocks import ticks_during


def part(*, limit: int | None = None, before: int | None = None) -> PageRange:
    return PageRange(limit=limit, before=before, max_tokens=10_000)


def console(*texts: str, capacity: int = CAPACITY) -> RingBuffer[ConsoleEntry]:
    ring: RingBuffer[ConsoleEntry] = RingBuffer(capacity)
    for text in texts:
        log(ring, text)
    return ring


def log(ring: RingBuffer[ConsoleEntry], text: str) -> None:
    ring.add(ConsoleEntry(ring.next_number(), "info", 0.0, text, ""))


async def page_of(
    ring: RingBuffer[ConsoleEntry],
    range_: PageRange,
    *,
    only: str | None = None,
) -> dict[str, Any]:
    async def row(entry: ConsoleEntry) -> LogRow:
        return {"text": entry.text, "time": entry.number}

    async def matches(entry: ConsoleEntry) -> bool:
        return only is None or only in entry.text

    return cast("dict[str, Any]", await log_page("logs", ring, matches if only is not None else None, row, range_))


def texts_of(page: dict[str, Any]) -> list[str]:
    return [row["text"] for row in page["logs"]]


HOSTILE = "key: a1b2c3d4e5f6g7h8 " * 90


async def test_a_search_in_a_full_hostile_console_lets_the_loop_go_on() -> None:
    redactor = Redactor()
    ring: RingBuffer[ConsoleEntry] = RingBuffer(CAPACITY)
    for number in range(1, 301):
        ring.add(ConsoleEntry(number, "info", 0.0, HOSTILE, ""))

    async def matches(entry: ConsoleEntry) -> bool:
        return await contains(entry.text, "a1b2", redactor.text)

    async def row(entry: ConsoleEntry) -> LogRow:
        return {"text": await redact(redactor.text, entry.text)}

    async with ticks_during() as ticks:
        found = await log_page("logs", ring, matches, row, part(limit=10))

    assert found == {"logs": []}
    assert ticks.count >= 5


async def test_a_page_has_the_newest_matches_and_counts_the_rest() -> None:
    page = await page_of(console("a1", "b2", "a3", "b4", "a5", "b6"), part(limit=2), only="b")
    assert texts_of(page) == ["b4", "b6"] and page["earlier"] == 1


async def test_a_cursor_continues_a_page() -> None:
    page = await page_of(console("1", "2", "3", "4", "5", "6"), part(limit=2, before=4))
    assert texts_of(page) == ["2", "3"] and page["earlier"] == 1 and page["cursor"] == 2


async def test_without_arguments_only_what_is_new_since_the_last_such_call_is_returned() -> None:
    ring = console("one", "two")
    assert texts_of(await page_of(ring, part())) == ["one", "two"]
    log(ring, "three")
    page = await page_of(ring, part())
    assert texts_of(page) == ["three"] and page["seen_before"] == 2
    assert texts_of(await page_of(ring, part(limit=10))) == ["one", "two", "three"]


async def test_a_filtered_call_neither_hides_nor_marks_entries() -> None:
    ring = console("one", "two")
    await page_of(ring, part(), only="one")
    assert texts_of(await page_of(ring, part())) == ["one", "two"]
    assert texts_of(await page_of(ring, part(), only="one")) == ["one"]


async def test_equal_entries_are_one_row_with_a_count() -> None:
    page = await page_of(console("a", "b", "a", "a", "c"), part())
    assert [(row["text"], row["time"], row["count"]) for row in page["logs"]] == [("b", 2, 1), ("a", 4, 3), ("c", 5, 1)]
    assert "earlier" not in page


async def test_a_page_without_arguments_is_brief_and_says_how_to_go_on() -> None:
    ring = console(*(f"message {number} about something that happened" for number in range(200)))
    page = await page_of(ring, part())
    assert estimate_tokens(str(page)) < 1.6 * BRIEF_TOKENS
    rest = await page_of(ring, part(before=page["cursor"], limit=1_000))
    assert len(page["logs"]) + len(rest["logs"]) == 200 and page["earlier"] == len(rest["logs"])


async def test_what_the_buffer_displaced_is_reported() -> None:
    page = await page_of(console("1", "2", "3", capacity=2), part())
    assert texts_of(page) == ["2", "3"] and page["dropped"] == 1
