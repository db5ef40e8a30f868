"""Reads the audit log: search, export, verify. Read-only; may run while the hub writes."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from browser_pilot.safe_text import parse_json

from .anchor import AnchorBroken
from .budget_replay import BudgetReplay
from .counters import stored_spends, stored_totals
from .database import AuditLogFiles, log_id, open_for_reading
from .hash_chain import (
    EMPTY_HEAD,
    MAX_PROBLEMS,
    ChainHead,
    ChainProblem,
    ChainRow,
    VerificationReport,
    pruned_to,
    verify,
)

if TYPE_CHECKING:
    from browser_pilot.json_types import Json

ExportFormat = Literal["jsonl", "csv"]

_PORT = re.compile(r":\d+$")
COLUMNS = (
    "id time_ms kind client session tool arguments effect decision rule risk approval tab url site status duration_ms "
    "summary error run step"
).split()


@dataclass(frozen=True)
class AuditEntry:
    """One row as it was written."""

    seq: int
    body: dict[str, Json]


@dataclass(frozen=True)
class AuditedAction:
    """An intent with its outcome (None while it is running), or a row of another kind alone."""

    seq: int
    intent: dict[str, Json]
    outcome: dict[str, Json] | None

    def flat(self) -> dict[str, Json]:
        """Intent and outcome merged into one flat object."""
        merged = {**self.intent, **{name: value for name, value in (self.outcome or {}).items() if value is not None}}
        merged |= {"id": self.seq, "kind": self.intent.get("kind"), "time_ms": self.intent.get("time_ms")}
        merged.pop("intent", None)
        return merged


@dataclass(frozen=True)
class AuditQuery:
    """Which actions to find; a field that is None does not filter.

    ``site`` includes its subdomains, and all ports unless it names one. ``ended_after`` is the number of a row:
    actions that ended before it, and actions still running, are left out.
    """

    tool: str | None = None
    site: str | None = None
    session: str | None = None
    client: str | None = None
    run: str | None = None
    decision: str | None = None
    status: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    text: str | None = None
    before: int | None = None
    ended_after: int | None = None
    limit: int | None = 100


class AuditLogReader:
    def __init__(self, files: AuditLogFiles) -> None:
        self._files = files

    def entries(self, *, after: int = 0, limit: int = 1_000) -> list[AuditEntry]:
        """Rows after number ``after``, oldest first."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT seq, body FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
            ).fetchall()
        return [AuditEntry(int(seq), _content(body)) for seq, body in rows]

    def last_seq(self) -> int:
        with self._open() as connection:
            return int(connection.execute("SELECT seq FROM head").fetchone()[0])

    def search(self, query: AuditQuery | None = None) -> list[AuditedAction]:
        """The latest matching actions, oldest first."""
        with self._open() as connection:
            return list(search_actions(connection, query or AuditQuery()))[::-1]

    def action(self, seq: int) -> AuditedAction | None:
        """The action that row ``seq`` belongs to."""
        with self._open() as connection:
            row = connection.execute("SELECT coalesce(intent, seq) FROM entries WHERE seq = ?", (seq,)).fetchone()
            if row is None:
                return None
            found = next(search_actions(connection, AuditQuery(before=int(row[0]) + 1, limit=1)), None)
            return found if found is not None and found.seq == row[0] else None

    def export(self, form: ExportFormat, query: AuditQuery | None = None) -> Iterator[str]:
        """The lines of a file with all matching actions."""
        actions = self.search(query or AuditQuery(limit=None))
        return _as_jsonl(actions) if form == "jsonl" else _as_csv(actions)

    def verify(self, *, known_heads: Iterable[ChainHead] = ()) -> VerificationReport:
        """Check the whole chain, also against heads that were stored elsewhere."""
        anchors = list(known_heads)
        anchor_problem: str | None = None
        try:
            with self._open() as connection:
                # Read the head file first: rows added in the meantime only extend the chain.
                try:
                    sealed = self._files.anchor().read(log_id(connection))
                    anchors += [sealed] if sealed else []
                    anchor_problem = None if sealed else "The head file beside the database is missing."
                except AnchorBroken as broken:
                    anchor_problem = f"{broken}."
                report = verify_rows(connection, anchors)
                if report.ok:
                    report = replace(report, problems=tuple(verify_counters(connection)[:MAX_PROBLEMS]))
        except sqlite3.DatabaseError as error:
            return VerificationReport(0, EMPTY_HEAD, (ChainProblem(0, f"The database is damaged: {error}."),))
        if anchor_problem and report.head.seq > 0:
            return VerificationReport(
                report.rows, report.head, (*report.problems, ChainProblem(report.head.seq, anchor_problem))
            )
        return report

    def _open(self) -> closing[sqlite3.Connection]:
        return closing(open_for_reading(self._files.database))


def verify_rows(connection: sqlite3.Connection, anchors: Iterable[ChainHead] = ()) -> VerificationReport:
    """Check the chain of one database, in one transaction."""
    connection.execute("BEGIN")
    try:
        noted = connection.execute("SELECT seq, hash FROM head").fetchone()
        rows = connection.execute("SELECT seq, body, hash FROM entries ORDER BY seq")
        return verify(
            (ChainRow(number, str(body), _bytes(hashed)) for number, body, hashed in rows),
            start=_last_checkpoint(connection),
            head=ChainHead(noted[0], _bytes(noted[1])) if noted else ChainHead(-1, b""),
            anchors=anchors,
        )
    finally:
        connection.execute("COMMIT")


def verify_counters(connection: sqlite3.Connection) -> list[ChainProblem]:
    """Counters that are not what the rows say, in one transaction."""
    connection.execute("BEGIN")
    try:
        replay = BudgetReplay()
        for seq, body in connection.execute("SELECT seq, body FROM entries ORDER BY seq"):
            replay.follow(int(seq), str(body))
        # Where the clock was set back, spends may have been deleted that would count again now.
        latest = connection.execute("SELECT max(time_ms) FROM entries").fetchone()[0] or 0
        now_ms = max(round(time.time() * 1000), int(latest))
        return replay.problems(stored_totals(connection), stored_spends(connection), now_ms=now_ms)
    finally:
        connection.execute("COMMIT")


def unfinished_actions(connection: sqlite3.Connection) -> list[int]:
    """Intents without an outcome."""
    rows = connection.execute(
        "SELECT seq FROM entries AS i WHERE kind = 'intent'"
        " AND NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.intent = i.seq) ORDER BY seq"
    )
    return [int(row[0]) for row in rows]


def _bytes(value: object) -> bytes:
    """A stored hash; anything else becomes bytes that match no hash."""
    return value if isinstance(value, bytes) else b""


def _last_checkpoint(connection: sqlite3.Connection) -> ChainHead:
    rows = connection.execute(
        'SELECT body FROM entries WHERE instr(body, \'"kind":"checkpoint"\') > 0 ORDER BY seq DESC'
    )
    return next((found for row in rows if (found := pruned_to(str(row[0])))), EMPTY_HEAD)


def search_actions(connection: sqlite3.Connection, query: AuditQuery) -> Iterator[AuditedAction]:
    """The matching actions, latest first."""
    conditions = ["i.kind <> 'outcome'"]
    values: list[str | int] = []

    def require(condition: str, value: str | int | None) -> None:
        if value is not None:
            conditions.append(condition)
            values.append(value)

    for name in ("tool", "session", "client", "decision", "run"):
        require(f"json_extract(i.body, '$.{name}') = ?", cast("str | None", getattr(query, name)))
    require("json_extract(o.body, '$.status') = ?", query.status)
    if query.site is not None:
        connection.create_function("is_on_site", 2, _is_on_site, deterministic=True)
        require("is_on_site(json_extract(i.body, '$.site'), ?)", query.site.lower())
    require("i.time_ms >= ?", query.since_ms)
    require("i.time_ms < ?", query.until_ms)
    require("i.seq < ?", query.before)
    require(
        "i.seq IN (SELECT coalesce(intent, seq) FROM entries WHERE seq > ? AND kind <> 'intent')", query.ended_after
    )
    if query.text is not None:
        connection.create_function("contains", 2, _contains, deterministic=True)
        needle = json.dumps(query.text, ensure_ascii=False)[1:-1].casefold()
        require("contains(i.body || coalesce(o.body, ''), ?)", needle)
    limit = -1 if query.limit is None else query.limit
    rows = connection.execute(
        "SELECT i.seq, i.body, o.body FROM entries AS i LEFT JOIN entries AS o ON o.intent = i.seq"  # noqa: S608
        f" WHERE {' AND '.join(conditions)} ORDER BY i.seq DESC LIMIT {limit:d}",
        values,
    )
    for seq, intent, outcome in rows:
        yield AuditedAction(int(seq), _content(intent), _content(outcome) if outcome is not None else None)


def _is_on_site(site: str | None, wanted: str) -> bool:
    if site is None:
        return False
    name = site if _PORT.search(wanted) else _PORT.sub("", site)
    return f".{name}".endswith(f".{wanted}")


def _contains(text: str, needle: str) -> bool:
    return needle in text.casefold()


def _content(body: str) -> dict[str, Json]:
    return cast("dict[str, Json]", parse_json(body))


def _as_jsonl(actions: Iterable[AuditedAction]) -> Iterator[str]:
    for action in actions:
        yield json.dumps(action.flat(), ensure_ascii=True) + "\n"


def _as_csv(actions: Iterable[AuditedAction]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for action in actions:
        flat = action.flat()
        writer.writerow([_cell(flat.get(column)) for column in COLUMNS])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    if buffer.tell():
        yield buffer.getvalue()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # A spreadsheet would run these as a formula; text of a page must not be one.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
