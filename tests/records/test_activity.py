"""The activity log: what is written, when, and what happens when it cannot be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import sqlite3
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio

from browser_pilot.errors import BudgetExhausted, RecordsUnavailable
from browser_pilot.records import database
from browser_pilot.records.activity import ActivityLog
from browser_pilot.records.chain import Head
from browser_pilot.records.counters import Spend
from browser_pilot.records.database import Files
from browser_pilot.records.entries import Intent, Note, Outcome
from browser_pilot.records.reading import Action, LogReader, Query
from browser_pilot.records.redaction import Redactor
from browser_pilot.records.retention import DAY_MS, Retention

from .canaries import CARDS, SHAPES


def click(tool: str = "browser_click", **changes: str) -> Intent:
    facts = {"client": "c1", "session": "s1", "tab": "t1", "url": "https://a.example/x", "site": "a.example"} | changes
    return Intent(tool=tool, arguments={"element": "e1"}, **facts)


DONE = Outcome("ok", duration_ms=12.34, summary="Clicked.")


@pytest_asyncio.fixture
async def log(tmp_path: Path) -> AsyncIterator[ActivityLog]:
    activity = ActivityLog(tmp_path, Redactor())
    assert await activity.start() is None
    yield activity
    await activity.close()


@contextlib.asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[ActivityLog]:
    activity = ActivityLog(home, Redactor())
    await activity.start()
    try:
        yield activity
    finally:
        await activity.close()


def reader(home: Path) -> LogReader:
    return LogReader(Files.in_home(home))


def all_bytes(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.iterdir())


def modes(home: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}


def remove_database(home: Path) -> None:
    for path in home.glob("activity.db*"):
        path.unlink()


@contextlib.contextmanager
def changing(home: Path) -> Generator[sqlite3.Connection]:
    """The database, opened by someone who should not."""
    with contextlib.closing(sqlite3.connect(Files.in_home(home).database)) as connection:
        yield connection
        connection.commit()


async def test_an_action_is_on_record_before_and_after_it_happens(log: ActivityLog) -> None:
    seq = await log.intent(click())
    (under_way,) = log.reader().search()
    assert under_way.outcome is None
    await log.outcome(seq, DONE)
    (action,) = log.reader().search()
    assert action.flat() | {"time_ms": 0} == {
        "id": seq, "kind": "intent", "time_ms": 0, "client": "c1", "session": "s1", "tool": "browser_click",
        "arguments": {"element": "e1"}, "effect": "", "decision": "allow", "rule": None, "risk": None,
        "approval": None, "tab": "t1", "url": "https://a.example/x", "site": "a.example", "status": "ok",
        "duration_ms": 12.3, "summary": "Clicked.",
    }  # fmt: skip
    assert log.reader().verify().ok


async def test_no_canary_reaches_any_file(tmp_path: Path) -> None:
    secrets = [*SHAPES.values(), *CARDS.values()]
    known = "my own s3cret"
    redactor = Redactor()
    redactor.know([known])
    log = ActivityLog(tmp_path, redactor)
    await log.start()
    for secret in [*secrets, known]:
        intent = Intent(
            client=f"client {secret} x",
            tool="browser_type",
            arguments={"text": f"{secret} x", "password": "hunter2", "deep": [{"token": secret}]},
            url=f"https://ann:pw9@a.example/?token={secret}",
        )
        seq = await log.intent(intent)
        await log.outcome(
            seq, Outcome("error", summary=f"Failed on {secret} x", url=f"https://a.example/#code={secret}")
        )
        await log.note(Note(f"{secret} x", by="cli", details={"secret": secret}))
    written = all_bytes(tmp_path)
    await log.close()
    written += all_bytes(tmp_path)
    for secret in [*secrets, known, "hunter2", "pw9"]:
        assert secret.encode() not in written


async def test_every_file_is_private_to_its_owner(log: ActivityLog, tmp_path: Path) -> None:
    await log.outcome(await log.intent(click()), DONE)
    found = modes(tmp_path)
    assert {"activity.db", "activity.db-wal", "activity.head", "activity.key"} <= found.keys()
    assert set(found.values()) == {0o600}


async def test_actions_that_an_earlier_process_left_open_are_closed_as_unknown(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        finished = await log.intent(click())
        await log.outcome(finished, DONE)
        left_open = await log.intent(click())
    async with opened(tmp_path) as log:
        fresh = await log.intent(click())
        found = {action.seq: action.outcome and action.outcome["status"] for action in log.reader().search()}
        assert found == {finished: "ok", left_open: "unknown", fresh: None}
        assert log.reader().verify().ok


async def test_a_second_process_that_adds_a_note_leaves_open_actions_alone(log: ActivityLog, tmp_path: Path) -> None:
    seq = await log.intent(click())
    other = ActivityLog(tmp_path, Redactor(), recover=False)
    await other.start()
    await other.note(Note("Rule added: a.example may be written", by="cli"))
    await other.close()
    await log.outcome(seq, DONE)
    assert [action.intent["kind"] for action in log.reader().search()] == ["intent", "note"]
    assert log.reader().verify().ok


async def test_a_cancelled_caller_leaves_no_open_action(log: ActivityLog) -> None:
    tasks = [asyncio.create_task(log.intent(click())) for _ in range(30)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await log.note(Note("after"))
    kept = {task.result() for task in tasks if not task.cancelled()}
    open_ones = {action.seq for action in log.reader().search() if action.outcome is None} - {_last(log).seq}
    assert open_ones == kept


def _last(log: ActivityLog) -> Action:
    return log.reader().search(Query(limit=1))[0]


async def test_an_outcome_is_written_though_its_caller_is_cancelled(log: ActivityLog) -> None:
    seq = await log.intent(click())
    task = asyncio.create_task(log.outcome(seq, DONE))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await log.note(Note("after"))
    assert log.reader().search()[0].outcome is not None


async def test_what_was_denied_is_recorded_in_one_go(log: ActivityLog) -> None:
    seq = await log.record(click(decision="deny", rule="*.example"), Outcome("refused", error="DOMAIN_DENIED"))
    (action,) = log.reader().search(Query(decision="deny"))
    assert (action.seq, action.flat()["error"]) == (seq, "DOMAIN_DENIED")


@contextlib.contextmanager
def file_size_limit(size_bytes: int) -> Generator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_refuses_actions_and_loses_nothing(log: ActivityLog, tmp_path: Path) -> None:
    acknowledged: list[int] = [await log.intent(click())]
    refused = 0
    with file_size_limit(Files.in_home(tmp_path).database.with_name("activity.db-wal").stat().st_size + 20_000):
        for _ in range(100):
            try:
                acknowledged.append(await log.intent(click()))
            except RecordsUnavailable as error:
                assert not error.retryable
                refused += 1
        with pytest.raises(RecordsUnavailable):
            await log.outcome(acknowledged[0], DONE)
        assert log.problem is not None
    assert refused > 0
    fresh = await log.intent(click())
    assert log.problem is None
    found = {action.seq: action.outcome for action in log.reader().search(Query(limit=None))}
    assert set(found) == {*acknowledged, fresh}
    late = found[acknowledged[0]]
    assert late and late["status"] == "ok", "the outcome that failed was written with the next row"
    assert log.reader().verify().ok


async def test_a_place_that_cannot_be_written_refuses_actions(tmp_path: Path) -> None:
    (tmp_path / "activity.db").mkdir()
    log = ActivityLog(tmp_path, Redactor())
    problem = await log.start()
    assert problem is not None and problem.code == "RECORDS_UNAVAILABLE"
    with pytest.raises(RecordsUnavailable):
        await log.intent(click())
    (tmp_path / "activity.db").rmdir()
    await log.intent(click())
    await log.close()


async def test_a_damaged_file_refuses_actions_and_is_not_overwritten(tmp_path: Path) -> None:
    garbage = os.urandom(8192)
    (tmp_path / "activity.db").write_bytes(garbage)
    log = ActivityLog(tmp_path, Redactor())
    with pytest.raises(RecordsUnavailable, match="damaged"):
        await log.intent(click())
    await log.close()
    assert (tmp_path / "activity.db").read_bytes() == garbage


async def test_a_locked_file_refuses_actions_until_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 20)
    async with opened(tmp_path) as log:
        await log.intent(click())
        with changing(tmp_path) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(RecordsUnavailable, match="locked"):
                await log.intent(click())
            other.rollback()
        await log.intent(click())


async def test_a_closed_log_refuses_actions(tmp_path: Path) -> None:
    log = ActivityLog(tmp_path, Redactor())
    await log.start()
    await log.close()
    await log.close()
    with pytest.raises(RecordsUnavailable):
        await log.intent(click())


async def test_a_log_that_is_removed_while_running_goes_on_and_says_so(log: ActivityLog, tmp_path: Path) -> None:
    await log.intent(click())
    remove_database(tmp_path)
    seq = await log.intent(click())
    assert seq in {action.seq for action in log.reader().search()}
    assert not log.reader().verify().ok


TAMPERINGS = {
    "edit": "UPDATE entries SET body = replace(body, 'browser_click', 'browser_hover') WHERE seq = 3",
    "broken edit": "UPDATE entries SET body = 'x' WHERE seq = 3",
    "hash": "UPDATE entries SET hash = zeroblob(32) WHERE seq = 3",
    "removal": "DELETE FROM entries WHERE seq = 3",
    "removal of the first": "DELETE FROM entries WHERE seq = 1",
    "truncation": "DELETE FROM entries WHERE seq > 7",
    "emptying": "DELETE FROM entries",
    "exchange": "UPDATE entries SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END WHERE seq IN (3, 4)",
    "appending": "INSERT INTO entries (seq, body, hash) VALUES (99, '{}', zeroblob(32))",
}


@pytest.mark.parametrize("statement", TAMPERINGS.values(), ids=TAMPERINGS.keys())
async def test_tampering_with_the_database_is_found(tmp_path: Path, statement: str) -> None:
    async with opened(tmp_path) as log:
        for _ in range(5):
            await log.outcome(await log.intent(click()), DONE)
    assert reader(tmp_path).verify().ok
    with changing(tmp_path) as connection:
        connection.execute(statement)
        connection.execute("UPDATE entries SET seq = -seq WHERE seq < 0")
    assert not reader(tmp_path).verify().ok
    async with opened(tmp_path) as log:
        await log.outcome(await log.intent(click()), DONE)
        assert not log.reader().verify().ok, "going on does not hide it"


async def test_truncation_with_a_forged_head_row_is_found_and_stays_found(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        for _ in range(5):
            await log.outcome(await log.intent(click()), DONE)
    with changing(tmp_path) as connection:
        connection.execute("DELETE FROM entries WHERE seq > 6")
        connection.execute("UPDATE head SET (seq, hash) = (SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1)")
    report = reader(tmp_path).verify()
    assert [problem.what for problem in report.problems] == ["Rows 7 to 10 are missing."]
    for _ in range(2):
        async with opened(tmp_path) as log:
            await log.outcome(await log.intent(click()), DONE)
            report = log.reader().verify()
            assert "rows 7 to 10 were there before" in report.problems[0].what


@pytest.mark.parametrize("victim", ["activity.head", "activity.key"])
async def test_a_removed_or_changed_anchor_is_found(tmp_path: Path, victim: str) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    original = (tmp_path / victim).read_text()
    (tmp_path / victim).write_text(original.replace(original[-10], "z"))
    assert not reader(tmp_path).verify().ok
    (tmp_path / victim).unlink()
    assert not reader(tmp_path).verify().ok
    (tmp_path / victim).write_text(original)
    assert reader(tmp_path).verify().ok


async def test_a_head_noted_elsewhere_must_still_be_in_the_chain(log: ActivityLog) -> None:
    await log.intent(click())
    noted = log.reader().verify().head
    await log.intent(click())
    assert log.reader().verify(noted=[noted]).ok
    assert not log.reader().verify(noted=[Head(noted.seq, bytes(32))]).ok


async def test_concurrent_actions_all_get_their_own_rows(log: ActivityLog) -> None:
    async def act(number: int) -> int:
        seq = await log.intent(click(client=f"c{number}"))
        await log.outcome(seq, DONE)
        return seq

    seqs = await asyncio.gather(*(act(number) for number in range(200)))
    assert len(set(seqs)) == 200
    actions = log.reader().search(Query(limit=None))
    assert {action.seq for action in actions if action.outcome} == set(seqs)
    assert log.reader().verify().ok


async def test_a_budget_is_never_overshot_under_concurrency(log: ActivityLog) -> None:
    async def act() -> bool:
        try:
            await log.intent(click(), spends=[Spend("session:s1", limit=37), Spend("hour:a.example")])
        except BudgetExhausted as error:
            assert error.metadata == {"key": "session:s1", "used": 37, "limit": 37}
            return False
        return True

    assert sum(await asyncio.gather(*(act() for _ in range(120)))) == 37
    assert await log.counters(["session:s1", "hour:a.example", "other"]) == {"session:s1": 37, "hour:a.example": 37}
    assert len(log.reader().search(Query(limit=None))) == 37


async def test_what_was_used_up_survives_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await log.spend([Spend("a", amount=3, limit=4)])
    async with opened(tmp_path) as log:
        with pytest.raises(BudgetExhausted):
            await log.spend([Spend("b"), Spend("a", amount=2, limit=4)])
        assert await log.counters_with_prefix("") == {"a": 3}
        await log.reset_counters(["a"])
        await log.spend([Spend("a", amount=4, limit=4)])


async def test_an_expired_counter_starts_again(tmp_path: Path) -> None:
    now = 1000.0
    log = ActivityLog(tmp_path, Redactor(), clock=lambda: now)
    await log.start()
    await log.spend([Spend("hour", limit=1, expires_ms=2_000_000)])
    with pytest.raises(BudgetExhausted):
        await log.spend([Spend("hour", limit=1, expires_ms=2_000_000)])
    now = 2000.0
    await log.spend([Spend("hour", limit=1, expires_ms=3_000_000)])
    assert await log.counters(["hour"]) == {"hour": 1}
    await log.close()


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


async def test_a_log_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    with changing(tmp_path) as connection:
        connection.execute("PRAGMA user_version = 99")
    async with opened(tmp_path) as log:
        with pytest.raises(RecordsUnavailable, match="newer"):
            await log.intent(click())


async def test_a_migration_that_fails_half_way_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as log:
        await log.intent(click())
    broken = (*database.MIGRATIONS, ("CREATE TABLE more (x)", "THIS IS NO SQL"))
    with monkeypatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", broken)
        async with opened(tmp_path) as log:
            assert log.problem is not None
    async with opened(tmp_path) as log:
        await log.intent(click())
        assert log.reader().verify().ok


async def test_odd_arguments_never_break_the_log(log: ActivityLog) -> None:
    deep: list[object] = []
    for _ in range(2000):
        deep = [deep]
    odd: list[dict[str, object]] = [
        {"x": float("nan")},
        {"x": deep},
        {"x": b"bytes", "y": {1, 2}},
        {"text": "a" * 1_000_000},
        {"x\ud800": "\udfff\0"},
        {"list": [{"a": "b" * 100}] * 5000},
    ]
    for arguments in odd:
        await log.outcome(await log.intent(Intent("c", "t", arguments)), Outcome("ok", summary="\ud800\0"))
    assert log.reader().verify().ok
    assert len(log.reader().search()) == len(odd)
    assert sum(len(line) for line in log.reader().export("jsonl")) < 60_000
