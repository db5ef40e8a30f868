"""Reading the log: search, follow, export, and what retention leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from browser_pilot.records.activity import ActivityLog
from browser_pilot.records.entries import Note, Outcome
from browser_pilot.records.reading import Query
from browser_pilot.records.redaction import Redactor
from browser_pilot.records.retention import DAY_MS, Retention

from .logs import DONE, changing, click, reader


async def test_followers_see_rows_as_they_are_written(log: ActivityLog) -> None:
    await log.note(Note("before"))
    rows = log.follow(after=log.reader().last_seq())
    waiting = asyncio.ensure_future(anext(rows))
    await log.note(Note("first"))
    await log.note(Note("second"))
    async with asyncio.timeout(20):
        assert (await waiting).body["text"] == "first"
        assert (await anext(rows)).body["text"] == "second"
    await rows.aclose()


async def test_actions_are_found_by_what_is_known_about_them(log: ActivityLog) -> None:
    async def act(**changes: str) -> int:
        seq = await log.intent(click(**changes))
        await log.outcome(seq, Outcome("ok", summary=f"Größe of {changes}"))
        return seq

    hover = await act(tool="browser_hover")
    other = await act(site="shop.b.example", url="https://shop.b.example/")
    session = await act(session="s2")
    await log.note(Note("Rule added", by="ann"))

    def found(**query: str | int) -> list[int]:
        return [action.seq for action in log.reader().search(Query(**query))]  # pyright: ignore[reportArgumentType]

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


async def test_exports_hold_every_action(log: ActivityLog) -> None:
    await log.outcome(await log.intent(click()), Outcome("ok", summary='=HYPERLINK("http://evil")'))
    await log.note(Note("a\nnote"))
    lines = [json.loads(line) for line in log.reader().export("jsonl")]
    assert [line["kind"] for line in lines] == ["intent", "note"]
    assert lines[0]["summary"] == '=HYPERLINK("http://evil")'
    table = "".join(log.reader().export("csv"))
    assert table.startswith("id,time_ms,kind,client")
    assert "\"'=HYPERLINK(" in table, "a spreadsheet must not run it"


async def test_rows_go_by_age_and_the_rest_still_verifies(tmp_path: Path) -> None:
    now = 1_000_000.0
    log = ActivityLog(tmp_path, Redactor(), retention=Retention(days=10), clock=lambda: now)
    await log.start()
    for _ in range(4):
        await log.outcome(await log.intent(click()), DONE)
    now += 11 * DAY_MS / 1000
    kept = await log.intent(click())
    assert await log.prune() == 8
    assert [action.seq for action in log.reader().search() if action.intent["kind"] == "intent"] == [kept]
    assert log.reader().verify().ok
    now += 11 * DAY_MS / 1000
    assert await log.prune() == 0, "an action that is under way is kept"
    await log.outcome(kept, DONE)
    now += 11 * DAY_MS / 1000
    await log.note(Note("later"))
    assert await log.prune() > 0
    assert log.reader().verify().ok
    await log.close()
    with changing(tmp_path) as connection:
        connection.execute("DELETE FROM entries WHERE seq = (SELECT min(seq) FROM entries)")
    assert not reader(tmp_path).verify().ok


async def test_rows_go_by_size_without_being_asked(tmp_path: Path) -> None:
    log = ActivityLog(tmp_path, Redactor(), retention=Retention(size_mb=0.5))
    await log.start()
    for _ in range(13):
        await asyncio.gather(*(log.note(Note(f"{number} {'word ' * 150}")) for number in range(100)))
    await log.note(Note("last"))
    assert log.reader().search(Query(limit=1))[0].intent["text"] == "last"
    assert log.reader().verify().ok
    await log.prune()
    await log.close()
    assert (tmp_path / "activity.db").stat().st_size <= 0.5 * 1_048_576
    assert reader(tmp_path).verify().ok
