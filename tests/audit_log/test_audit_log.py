"""The audit log: what is written, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditIntent, AuditNote, AuditOutcome
from browser_pilot.audit_log.reader import AuditedAction, AuditQuery
from browser_pilot.audit_log.writer import MAX_BATCH_JOBS
from browser_pilot.redaction.redactor import Redactor
from tests.loop_blocks import ticks_during
from tests.redaction.canaries import CARDS, TOKENS

from .logs import DONE, all_bytes, changing, click, modes, opened


async def test_an_action_is_recorded_before_and_after_it_is_executed(log: AuditLog) -> None:
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
    secrets = [*TOKENS.values(), *CARDS.values()]
    known = "my own s3cret"
    redactor = Redactor()
    redactor.add_secrets([known])
    log = AuditLog(tmp_path, redactor)
    await log.start()
    for secret in [*secrets, known]:
        intent = AuditIntent(
            client=f"client {secret} x",
            tool="browser_type",
            arguments={"text": f"{secret} x", "password": "hunter2", "deep": [{"token": secret}]},
            url=f"https://ann:pw9@a.example/?token={secret}",
        )
        seq = await log.intent(intent)
        await log.outcome(
            seq, AuditOutcome("error", summary=f"Failed on {secret} x", url=f"https://a.example/#code={secret}")
        )
        await log.note(AuditNote(f"{secret} x", by="cli", details={"secret": secret}))
    written = all_bytes(tmp_path)
    await log.close()
    written += all_bytes(tmp_path)
    for secret in [*secrets, known, "hunter2", "pw9"]:
        assert secret.encode() not in written


async def test_every_file_is_private_to_its_owner(log: AuditLog, tmp_path: Path) -> None:
    await log.outcome(await log.intent(click()), DONE)
    found = modes(tmp_path)
    assert {"activity.db", "activity.db-wal", "activity.head", "activity.key"} <= found.keys()
    assert set(found.values()) == {0o600}


async def test_unfinished_actions_of_an_earlier_process_end_as_unknown(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        finished = await log.intent(click())
        await log.outcome(finished, DONE)
        left_open = await log.intent(click())
    async with opened(tmp_path) as log:
        fresh = await log.intent(click())
        found = {action.seq: action.outcome and action.outcome["status"] for action in log.reader().search()}
        assert found == {finished: "ok", left_open: "unknown", fresh: None}
        assert log.reader().verify().ok


async def test_a_second_process_that_adds_a_note_does_not_end_running_actions(log: AuditLog, tmp_path: Path) -> None:
    seq = await log.intent(click())
    other = AuditLog(tmp_path, Redactor(), recover=False)
    await other.start()
    await other.note(AuditNote("Rule added: a.example may be written", by="cli"))
    await other.close()
    await log.outcome(seq, DONE)
    assert [action.intent["kind"] for action in log.reader().search()] == ["intent", "note"]
    assert log.reader().verify().ok


async def test_a_cancelled_caller_leaves_no_unfinished_action(log: AuditLog) -> None:
    tasks = [asyncio.create_task(log.intent(click())) for _ in range(30)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await log.note(AuditNote("after"))
    kept = {task.result() for task in tasks if not task.cancelled()}
    open_ones = {action.seq for action in log.reader().search() if action.outcome is None} - {_last(log).seq}
    assert open_ones == kept


def _last(log: AuditLog) -> AuditedAction:
    return log.reader().search(AuditQuery(limit=1))[0]


async def test_an_outcome_is_written_though_its_caller_is_cancelled(log: AuditLog, tmp_path: Path) -> None:
    seq = await log.intent(click())
    with changing(tmp_path) as other:
        other.execute("BEGIN IMMEDIATE")
        # More than fits into one commit, so that the outcome is still queued when its caller is cancelled.
        notes = [asyncio.create_task(log.note(AuditNote("before"))) for _ in range(MAX_BATCH_JOBS + 1)]
        task = asyncio.create_task(log.outcome(seq, DONE))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        other.rollback()
    await asyncio.gather(*notes)
    await log.note(AuditNote("after"))
    assert log.reader().search(AuditQuery(tool="browser_click"))[0].outcome is not None


async def test_a_denied_action_is_recorded_with_its_outcome_at_once(log: AuditLog) -> None:
    seq = await log.record(click(decision="deny", rule="*.example"), AuditOutcome("refused", error="DOMAIN_DENIED"))
    (action,) = log.reader().search(AuditQuery(decision="deny"))
    assert (action.seq, action.flat()["error"]) == (seq, "DOMAIN_DENIED")


async def test_concurrent_actions_all_get_their_own_rows(log: AuditLog) -> None:
    async def act(number: int) -> int:
        seq = await log.intent(click(client=f"c{number}"))
        await log.outcome(seq, DONE)
        return seq

    seqs = await asyncio.gather(*(act(number) for number in range(200)))
    assert len(set(seqs)) == 200
    actions = log.reader().search(AuditQuery(limit=None))
    assert {action.seq for action in actions if action.outcome} == set(seqs)
    assert log.reader().verify().ok


async def test_unusual_arguments_never_break_the_log(log: AuditLog) -> None:
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
        await log.outcome(await log.intent(AuditIntent("c", "t", arguments)), AuditOutcome("ok", summary="\ud800\0"))
    assert log.reader().verify().ok
    assert len(log.reader().search()) == len(odd)
    assert sum(len(line) for line in log.reader().export("jsonl")) < 60_000


async def test_a_huge_action_is_redacted_and_recorded_while_the_loop_goes_on(log: AuditLog) -> None:
    hostile = "key: a1b2c3d4e5f6g7h8 password=x1y2z3 " * 5_000
    async with ticks_during() as ticks:
        seq = await log.intent(AuditIntent("c1", "browser_type", {"text": hostile, "element": "e1"}))
        await log.outcome(seq, AuditOutcome("ok", summary=hostile, url=f"https://a.example/?{hostile}"))
        await log.note(AuditNote("Something", details={"text": hostile}))
    assert ticks.count >= 5
    assert "a1b2c3d4" not in str([action.flat() for action in log.reader().search()])
    assert log.reader().verify().ok
