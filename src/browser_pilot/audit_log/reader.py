"""Reading the activity log: search, export, verify. Changes nothing and may run beside the hub that writes it."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from .anchor import AnchorBroken
from .chain import EMPTY, Head, Problem, Report, Row, pruned_to, verify
from .database import Files, log_id, open_for_reading

if TYPE_CHECKING:
    from .redaction import Json

ExportFormat = Literal["jsonl", "csv"]

_PORT = re.compile(r":\d+$")
COLUMNS = (
    "id time_ms kind client session tool arguments effect decision rule risk approval tab url site status duration_ms "
    "summary error"
).split()


@dataclass(frozen=True)
class Entry:
    """One row as it was written."""

    seq: int
    body: dict[str, Json]


@dataclass(frozen=True)
class Action:
    """An intent with its outcome (None while it is under way), or a row of another kind alone."""

    seq: int
    intent: dict[str, Json]
    outcome: dict[str, Json] | None

    def flat(self) -> dict[str, Json]:
        """Everything about it in one table row."""
        merged = {**self.intent, **{name: value for name, value in (self.outcome or {}).items() if value is not None}}
        merged |= {"id": self.seq, "kind": self.intent.get("kind"), "time_ms": self.intent.get("time_ms")}
        merged.pop("intent", None)
        return merged


@dataclass(frozen=True)
class Query:
    """Which actions to find; what is None does not matter.

    ``site`` takes its subdomains in, and all ports unless it names one. ``ended_after`` is the number of a row: what
    was over by then is left out, and so is what is still under way.
    """

    tool: str | None = None
    site: str | None = None
    session: str | None = None
    client: str | None = None
    decision: str | None = None
    status: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    text: str | None = None
    before: int | None = None
    ended_after: int | None = None
    limit: int | None = 100


class LogReader:
    def __init__(self, files: Files) -> None:
        self._files = files

    def entries(self, *, after: int = 0, limit: int = 1_000) -> list[Entry]:
        """Rows after number ``after``, oldest first."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT seq, body FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
            ).fetchall()
        return [Entry(int(seq), _content(body)) for seq, body in rows]

    def last_seq(self) -> int:
        with self._open() as connection:
            return int(connection.execute("SELECT seq FROM head").fetchone()[0])

    def search(self, query: Query | None = None) -> list[Action]:
        """The latest actions that fit, oldest of them first."""
        with self._open() as connection:
            return list(search_actions(connection, query or Query()))[::-1]

    def action(self, seq: int) -> Action | None:
        """The action that row ``seq`` belongs to."""
        with self._open() as connection:
            row = connection.execute("SELECT coalesce(intent, seq) FROM entries WHERE seq = ?", (seq,)).fetchone()
            if row is None:
                return None
            found = next(search_actions(connection, Query(before=int(row[0]) + 1, limit=1)), None)
            return found if found is not None and found.seq == row[0] else None

    def export(self, form: ExportFormat, query: Query | None = None) -> Iterator[str]:
        """Lines of a file with all actions that fit."""
        actions = self.search(query or Query(limit=None))
        return _as_jsonl(actions) if form == "jsonl" else _as_csv(actions)

    def verify(self, *, noted: Iterable[Head] = ()) -> Report:
        """Check the whole chain, also against heads that someone noted elsewhere."""
        anchors = list(noted)
        complaint: str | None = None
        try:
            with self._open() as connection:
                # The sealed head first: rows that are added meanwhile only lengthen the chain.
                try:
                    sealed = self._files.anchor().read(log_id(connection))
                    anchors += [sealed] if sealed else []
                    complaint = None if sealed else "The head that is kept beside the database is missing."
                except AnchorBroken as broken:
                    complaint = f"{broken}."
                report = verify_rows(connection, anchors)
        except sqlite3.DatabaseError as error:
            return Report(0, EMPTY, (Problem(0, f"The database is damaged: {error}."),))
        if complaint and report.head.seq > 0:
            return Report(report.rows, report.head, (*report.problems, Problem(report.head.seq, complaint)))
        return report

    def _open(self) -> closing[sqlite3.Connection]:
        return closing(open_for_reading(self._files.database))


def verify_rows(connection: sqlite3.Connection, anchors: Iterable[Head] = ()) -> Report:
    """Check the chain in one database, as of one moment."""
    connection.execute("BEGIN")
    try:
        noted = connection.execute("SELECT seq, hash FROM head").fetchone()
        rows = connection.execute("SELECT seq, body, hash FROM entries ORDER BY seq")
        return verify(
            (Row(number, str(body), _bytes(hashed)) for number, body, hashed in rows),
            start=_last_checkpoint(connection),
            head=Head(noted[0], _bytes(noted[1])) if noted else Head(-1, b""),
            anchors=anchors,
        )
    finally:
        connection.execute("COMMIT")


def open_actions(connection: sqlite3.Connection) -> list[int]:
    """Intents without an outcome."""
    rows = connection.execute(
        "SELECT seq FROM entries AS i WHERE kind = 'intent'"
        " AND NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.intent = i.seq) ORDER BY seq"
    )
    return [int(row[0]) for row in rows]


def _bytes(value: object) -> bytes:
    """What should be a hash; anything else fits nothing."""
    return value if isinstance(value, bytes) else b""


def _last_checkpoint(connection: sqlite3.Connection) -> Head:
    rows = connection.execute(
        'SELECT body FROM entries WHERE instr(body, \'"kind":"checkpoint"\') > 0 ORDER BY seq DESC'
    )
    return next((found for row in rows if (found := pruned_to(str(row[0])))), EMPTY)


def search_actions(connection: sqlite3.Connection, query: Query) -> Iterator[Action]:
    """The actions that fit, latest first."""
    conditions = ["i.kind <> 'outcome'"]
    values: list[str | int] = []

    def require(condition: str, value: str | int | None) -> None:
        if value is not None:
            conditions.append(condition)
            values.append(value)

    for name in ("tool", "session", "client", "decision"):
        require(f"json_extract(i.body, '$.{name}') = ?", cast("str | None", getattr(query, name)))
    require("json_extract(o.body, '$.status') = ?", query.status)
    if query.site is not None:
        connection.create_function("is_of_site", 2, _is_of_site, deterministic=True)
        require("is_of_site(json_extract(i.body, '$.site'), ?)", query.site.lower())
    require("i.time_ms >= ?", query.since_ms)
    require("i.time_ms < ?", query.until_ms)
    require("i.seq < ?", query.before)
    require(
        "i.seq IN (SELECT coalesce(intent, seq) FROM entries WHERE seq > ? AND kind <> 'intent')", query.ended_after
    )
    if query.text is not None:
        connection.create_function("holds", 2, _holds, deterministic=True)
        needle = json.dumps(query.text, ensure_ascii=False)[1:-1].casefold()
        require("holds(i.body || coalesce(o.body, ''), ?)", needle)
    limit = -1 if query.limit is None else query.limit
    rows = connection.execute(
        "SELECT i.seq, i.body, o.body FROM entries AS i LEFT JOIN entries AS o ON o.intent = i.seq"  # noqa: S608
        f" WHERE {' AND '.join(conditions)} ORDER BY i.seq DESC LIMIT {limit:d}",
        values,
    )
    for seq, intent, outcome in rows:
        yield Action(int(seq), _content(intent), _content(outcome) if outcome is not None else None)


def _is_of_site(site: str | None, wanted: str) -> bool:
    if site is None:
        return False
    name = site if _PORT.search(wanted) else _PORT.sub("", site)
    return f".{name}".endswith(f".{wanted}")


def _holds(text: str, needle: str) -> bool:
    return needle in text.casefold()


def _content(body: str) -> dict[str, Json]:
    return cast("dict[str, Json]", json.loads(body))


def _as_jsonl(actions: Iterable[Action]) -> Iterator[str]:
    for action in actions:
        yield json.dumps(action.flat(), ensure_ascii=True) + "\n"


def _as_csv(actions: Iterable[Action]) -> Iterator[str]:
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
    # A spreadsheet would run these as a formula, and what a page says must not.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
