"""Reading the audit log: search, follow, export."""

from __future__ import annotations

import asyncio
import json

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote, AuditOutcome
from browser_pilot.audit_log.reader import AuditQuery

from .logs import click


async def test_followers_see_rows_as_they_are_written(log: AuditLog) -> None:
    await log.note(AuditNote("before"))
    rows = log.follow(after=log.reader().last_seq())
    waiting = asyncio.ensure_future(anext(rows))
    await log.note(AuditNote("first"))
    await log.note(AuditNote("second"))
    async with asyncio.timeout(60):
        assert (await waiting).body["text"] == "first"
        assert (await anext(rows)).body["text"] == "second"
    await rows.aclose()


async def test_actions_are_found_by_each_field_of_a_query(log: AuditLog) -> None:
    async def act(**changes: str) -> int:
        seq = await log.intent(click(**changes))
        await log.outcome(seq, AuditOutcome("ok", summary=f"Größe of {changes}"))
        return seq

    hover = await act(tool="browser_hover")
    other = await act(site="shop.b.example", url="https://shop.b.example/")
    session = await act(session="s2")
    await log.note(AuditNote("Rule added", by="ann"))

    def found(**query: str | int) -> list[int]:
        return [action.seq for action in log.reader().search(AuditQuery(**query))]  # pyright: ignore[reportArgumentType]

    assert found(tool="browser_hover") == [hover]
    assert found(site="b.example") == [other]
    assert found(site="example") == [hover, other, session]
    assert found(session="s2") == [session]
    assert found(text="GRÖSSE OF {'SITE'") == [other]
    assert found(text="rule added", limit=5) != []
    assert found(status="error") == []
    assert found(before=session, status="ok") == [hover, other]
    assert found(since_ms=2**60) == []
    assert len(found(until_ms=2**60)) == 4
    assert len(found(limit=2)) == 2


async def test_exports_contain_every_action(log: AuditLog) -> None:
    await log.outcome(await log.intent(click()), AuditOutcome("ok", summary='=HYPERLINK("http://evil")'))
    await log.note(AuditNote("a\nnote"))
    lines = [json.loads(line) for line in log.reader().export("jsonl")]
    assert [line["kind"] for line in lines] == ["intent", "note"]
    assert lines[0]["summary"] == '=HYPERLINK("http://evil")'
    table = "".join(log.reader().export("csv"))
    assert table.startswith("id,time_ms,kind,client")
    assert "\"'=HYPERLINK(" in table, "a spreadsheet must not run it"


async def test_what_is_read_is_well_formed(log: AuditLog) -> None:
    await log.note(AuditNote("half an emoji: \ud83d", details={"\ud83d": ["\ude00"]}))
    action = log.reader().search(AuditQuery())[-1]
    assert action.flat()["text"] == "half an emoji: \ufffd"
    json.dumps(action.flat(), ensure_ascii=False).encode()
