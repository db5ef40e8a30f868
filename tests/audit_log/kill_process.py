"""Run by the SIGKILL test in a separate process: fork a writer under load, kill it, and check the log.

A process without threads forks each writer, so that many rounds are cheap. The writer reports acknowledged rows on a
pipe; all of them must be in the log afterwards.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.counters import Spend
from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.entries import AuditIntent, AuditOutcome
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from browser_pilot.audit_log.retention import Retention
from browser_pilot.errors import BudgetExhausted
from browser_pilot.redaction.redactor import Redactor

WORKERS = 6
LIMIT = 45


async def _write_until_killed(home: Path, write_end: int, round_number: int) -> None:
    # A small size, so that kills also fall into pruning.
    log = AuditLog(home, Redactor(), retention=Retention(size_mb=0.3))
    await log.start()
    budget = Spend(f"round:{round_number}", limit=LIMIT)

    async def work(number: int) -> None:
        while True:
            intent = AuditIntent("c", f"tool {number}", {"text": "word " * 40, "round": round_number})
            try:
                seq = await log.intent(intent, spends=[budget])
            except BudgetExhausted:
                seq = await log.intent(intent)
                os.write(write_end, f"free {seq}\n".encode())
            else:
                os.write(write_end, f"paid {seq}\n".encode())
            await log.outcome(seq, AuditOutcome("ok", 1, "done"))
            os.write(write_end, f"done {seq}\n".encode())

    await asyncio.gather(*(work(number) for number in range(WORKERS)))


def _run_and_kill(home: Path, round_number: int, lines_before_kill: int) -> list[tuple[str, int]]:
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        asyncio.run(_write_until_killed(home, write_end, round_number))
        os._exit(1)
    os.close(write_end)
    text = b""
    killed = lines_before_kill == 0
    if killed:
        os.kill(child, signal.SIGKILL)
    while chunk := os.read(read_end, 4096):
        text += chunk
        if not killed and text.count(b"\n") >= lines_before_kill:
            killed = True
            os.kill(child, signal.SIGKILL)
    os.close(read_end)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer ended by itself"
    return [(word, int(number)) for word, number in (line.split() for line in text.decode().splitlines())]


def _check(home: Path, round_number: int, acknowledged: list[tuple[str, int]]) -> None:
    reader = AuditLogReader(AuditLogFiles.in_home(home))
    if not acknowledged:
        return
    report = reader.verify()
    assert report.ok, report.problems
    rows = {action.seq: action for action in reader.search(AuditQuery(limit=None))}
    oldest = min(rows)
    for word, seq in acknowledged:
        if seq >= oldest:
            assert seq in rows, f"{word} {seq} is lost"
            assert word != "done" or rows[seq].outcome is not None, f"the outcome of {seq} is lost"
    paid = [seq for word, seq in acknowledged if word == "paid"]
    assert len(paid) <= LIMIT, "the budget was overshot"
    counted = asyncio.run(_counter(home, f"round:{round_number}"))
    assert len(paid) <= counted <= LIMIT, "what was used up was forgotten"


async def _counter(home: Path, key: str) -> int:
    log = AuditLog(home, Redactor(), recover=False)
    value = (await log.usage()).totals.get(key, 0)
    await log.close()
    return value


def main() -> None:
    home, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    total = 0
    for round_number in range(rounds):
        acknowledged = _run_and_kill(home, round_number, chance.choice((0, 1, 2, 5, chance.randrange(200))))
        total += len(acknowledged)
        _check(home, round_number, acknowledged)
    print(total)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main()
