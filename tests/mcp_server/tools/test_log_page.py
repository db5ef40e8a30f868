"""Pages of the console and network log: filtered and redacted without holding up the event loop."""

from __future__ import annotations

from browser_pilot.mcp_server.tools.log_page import LogRow, contains, log_page
from browser_pilot.page.observe.console import CAPACITY, ConsoleEntry
from browser_pilot.page.observe.ring_buffer import RingBuffer
from browser_pilot.redaction.offloading import redact
from browser_pilot.redaction.redactor import Redactor
from tests.loop_blocks import ticks_during

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
        found = await log_page("logs", ring, matches, row, limit=10, before=None, max_tokens=1_000)

    assert found == {"logs": []}
    assert ticks.count >= 5
