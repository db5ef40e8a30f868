"""`browser-pilot log`: what agents did, as a list, live, in detail, as a file; and whether the record is whole.

Reads only. It works while the hub runs and while it does not.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import InvalidArgument, RecordsUnavailable
from ..home import PRIVATE_FILE, locate_home
from .log_view import HEADINGS, RIGHT, details, fixed_line, row
from .moments import clock_time, in_ms, parse_moment
from .output import BAD, GOOD, AsJson, counted, err, out, print_json, print_table, say

if TYPE_CHECKING:
    from ..records.chain import Head
    from ..records.database import Files
    from ..records.reading import Query

commands = typer.Typer(help="What agents did: newest last. See also: log show, log verify.")

SHOWN = 50
LOOK_SECONDS = 0.25
INTERRUPTED = 130
EMPTY = "Nothing is recorded yet: the log begins with the first action of an agent."

ExportForm = Literal["jsonl", "csv"]


@commands.callback(invoke_without_command=True)
def log(
    context: typer.Context,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Stay, and show what happens as it ends.")] = False,
    tool: Annotated[str | None, typer.Option(help="Only this tool, such as browser_click.")] = None,
    site: Annotated[str | None, typer.Option(help="Only this host and those below it.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    client: Annotated[str | None, typer.Option(help="Only this client.")] = None,
    decision: Annotated[
        Literal["allow", "ask", "deny"] | None, typer.Option(help="Only what was decided like this.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From then on: 2h (ago), 14:30, 2026-11-16T14:30.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before then.")] = None,
    text: Annotated[str | None, typer.Option(help="Only what holds this text anywhere.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many, the newest.", show_default=f"{SHOWN}; all with --export")
    ] = None,
    export: Annotated[ExportForm | None, typer.Option(help="As a file of this form, with everything.")] = None,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Where --export writes; else here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what agents did: when, who, with which tool, where, what was decided, how it ended."""
    if context.invoked_subcommand is not None:
        return
    if output is not None and export is None:
        raise typer.BadParameter("--output goes with --export")
    if follow and export is not None:
        raise typer.BadParameter("--follow and --export do not go together; --follow --json prints JSON lines")
    from ..records.reading import LogReader, Query

    now = datetime.now().astimezone()
    query = Query(
        tool=tool,
        site=site,
        session=session,
        client=client,
        decision=decision,
        since_ms=None if since is None else in_ms(parse_moment(since, now)),
        until_ms=None if until is None else in_ms(parse_moment(until, now)),
        text=text,
        limit=limit or (None if export else SHOWN),
    )
    files = _files()
    with _readable(files):
        if export is not None:
            if not files.database.exists():
                say(EMPTY, to=err)
            _write(LogReader(files).export(export, query) if files.database.exists() else (), output)
        elif follow:
            _follow(files, query, as_json=as_json)
        else:
            _list(files, query, as_json=as_json, filtered=query != Query(limit=query.limit))


@commands.command()
def show(
    entry: Annotated[int, typer.Argument(metavar="ID", help="As `browser-pilot log` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Show everything about one entry."""
    from ..records.reading import LogReader

    files = _files()
    with _readable(files):
        action = LogReader(files).action(entry) if files.database.exists() else None
    if action is None:
        raise InvalidArgument(
            f"There is no entry {entry} in the log.",
            suggestions=["`browser-pilot log` shows the newest with their ids."],
        )
    if as_json:
        print_json(action.flat())
        return
    say(f"Entry {action.seq}")
    for label, value in details(action):
        first, *rest = value.splitlines()
        say(f"  {label:<10} ", first)
        for line in rest:
            say(" " * 13, line)


@commands.command("export-test")
def export_test(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="As `browser-pilot log --json` shows it.")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write it; else here.")] = None,
) -> None:
    """Write what a session did as a test for pytest-playwright."""
    from ..records.reading import LogReader, Query
    from ..records.replay import as_test

    files = _files()
    with _readable(files):
        found = LogReader(files).search(Query(session=session, limit=None)) if files.database.exists() else []
    if not found:
        raise InvalidArgument(
            f"The log holds nothing of a session {session!r}.",
            suggestions=["`browser-pilot log --json` shows the session of each action."],
        )
    _write([as_test(found, session)], output)


@commands.command()
def verify(
    head: Annotated[
        list[str] | None, typer.Option(metavar="ROW:HASH", help="A head that you noted earlier; must still be there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that nobody changed, removed or cut off anything; ends with 1 when someone did."""
    from ..records.chain import EMPTY as NO_ROWS
    from ..records.chain import Problem, Report
    from ..records.reading import LogReader

    files = _files()
    noted = [_head(text) for text in head or ()]
    started = time.monotonic()
    if files.database.exists():
        report = LogReader(files).verify(noted=noted)
    elif files.head.exists() or noted:
        report = Report(0, NO_ROWS, (Problem(0, f"The log itself is gone: there is no {files.database}."),))
    else:
        report = Report(0, NO_ROWS)
    seconds = time.monotonic() - started
    last = f"{report.head.seq}:{report.head.hash.hex()}"
    if as_json:
        problems = [{"row": problem.seq, "what": problem.what} for problem in report.problems]
        print_json({"ok": report.ok, "rows": report.rows, "head": last, "problems": problems})
    elif report.ok and not report.rows:
        say(GOOD, " ", EMPTY)
    elif report.ok:
        newest = LogReader(files).entries(after=report.head.seq - 1, limit=1)
        until = f", the last of {clock_time(newest[0].body.get('time_ms'))}" if newest else ""
        say(GOOD, f" The log is intact: {counted(report.rows, 'row')}{until}; checked in {seconds:.1f} s.")
        say("  Head ", last)
        say("  Keep that head elsewhere: `log verify --head ROW:HASH` then finds even a forger who has your files.")
    else:
        say(BAD, f" The log is not as it was written ({counted(report.rows, 'row')} read).")
        for problem in report.problems:
            say(f"  row {problem.seq}: ", problem.what)
        say("  → What is there can still be read. `browser-pilot restore FILE` brings back a backup.")
    if not report.ok:
        raise typer.Exit(1)


def _files() -> Files:
    from ..records.database import Files

    return Files.in_home(locate_home())


@contextmanager
def _readable(files: Files) -> Generator[None]:
    """Says in words what keeps the log from being read."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise RecordsUnavailable(
            f"The activity log {files.database} cannot be read: {error}.",
            suggestions=[
                "`browser-pilot log verify` says more.",
                "`browser-pilot restore FILE` brings back a backup; what is there now is kept aside.",
            ],
        ) from None


def _list(files: Files, query: Query, *, as_json: bool, filtered: bool) -> None:
    from ..records.reading import LogReader

    actions = LogReader(files).search(query) if files.database.exists() else []
    if as_json:
        print_json([action.flat() for action in actions])
    elif actions:
        print_table(HEADINGS, map(row, actions), right=RIGHT)
    else:
        say("Nothing in the log fits." if filtered and files.database.exists() else EMPTY)


def _follow(files: Files, query: Query, *, as_json: bool) -> None:
    from ..records.following import Follower

    follower = Follower(files, query)
    pause = threading.Event()
    if not as_json:
        out.out(fixed_line(HEADINGS), highlight=False)
    try:
        while True:
            for action in follower.look():
                shown = json.dumps(action.flat(), ensure_ascii=False) if as_json else fixed_line(row(action))
                out.out(shown, highlight=False)
            sys.stdout.flush()
            pause.wait(LOOK_SECONDS)
    except KeyboardInterrupt:
        # That is how one ends it, nothing to make words about.
        raise typer.Exit(INTERRUPTED) from None
    finally:
        follower.close()


def _write(lines: Iterable[str], output: Path | None) -> None:
    if output is None:
        for line in lines:
            sys.stdout.buffer.write(line.encode())
        sys.stdout.buffer.flush()
        return
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file:
        for line in lines:
            file.write(line.encode())
    say(GOOD, f" Written to {output}.")


def _head(text: str) -> Head:
    from ..records.chain import Head

    seq, _, digest = text.partition(":")
    try:
        noted = Head(int(seq), bytes.fromhex(digest))
    except ValueError:
        noted = Head(0, b"")
    if noted.seq < 1 or len(noted.hash) != 32:
        raise InvalidArgument(
            f"{text!r} is no head of a log.", suggestions=["Give it as `browser-pilot log verify` printed it."]
        )
    return noted
