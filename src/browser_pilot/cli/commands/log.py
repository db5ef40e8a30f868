"""`browser-pilot log`: lists, follows, shows, exports and verifies the audit log.

Read-only. It works with and without a running hub.
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

from browser_pilot.cli.log_view import HEADINGS, details, layout, list_row, list_rows
from browser_pilot.cli.output import FAILURE, SUCCESS, AsJson, count_noun, err, out, print_json, print_line
from browser_pilot.cli.time_format import format_time, parse_time, to_epoch_ms
from browser_pilot.errors import InvalidArgument, RecordsUnavailable
from browser_pilot.home import PRIVATE_FILE, locate_home

if TYPE_CHECKING:
    from browser_pilot.audit_log.database import AuditLogFiles
    from browser_pilot.audit_log.hash_chain import ChainHead
    from browser_pilot.audit_log.reader import AuditQuery

commands = typer.Typer(help="Show the audit log, newest entry last. See also: log show, log verify.")

DEFAULT_LIMIT = 50
POLL_SECONDS = 0.25
INTERRUPTED_EXIT_CODE = 130
EMPTY_LOG = "The audit log is empty: it starts with the first action of an agent."

ExportFormat = Literal["jsonl", "csv"]


@commands.callback(invoke_without_command=True)
def log(
    context: typer.Context,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep running, and show actions as they finish.")
    ] = False,
    tool: Annotated[str | None, typer.Option(help="Only this tool, such as browser_click.")] = None,
    site: Annotated[str | None, typer.Option(help="Only this host and its subdomains.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    client: Annotated[str | None, typer.Option(help="Only this client.")] = None,
    run: Annotated[str | None, typer.Option(help="Only the steps of this run of browser_run.")] = None,
    decision: Annotated[Literal["allow", "ask", "deny"] | None, typer.Option(help="Only this policy decision.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From this time on: 2h (ago), 14:30, 2026-11-16T14:30.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before this time.")] = None,
    text: Annotated[str | None, typer.Option(help="Only entries that contain this text.")] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="At most this many, the newest.", show_default=f"{DEFAULT_LIMIT}; all with --export"),
    ] = None,
    export: Annotated[ExportFormat | None, typer.Option(help="Export all fields in this format.")] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file for --export; standard output by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the actions of agents: time, client, tool, site, policy decision and outcome.

    The steps of a run are one line; --run shows them.
    """
    if context.invoked_subcommand is not None:
        return
    if output is not None and export is None:
        raise typer.BadParameter("--output requires --export")
    if follow and export is not None:
        raise typer.BadParameter("--follow and --export cannot be combined; --follow --json prints JSON lines")
    from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery

    now = datetime.now().astimezone()
    query = AuditQuery(
        tool=tool,
        site=site,
        session=session,
        client=client,
        run=run,
        decision=decision,
        since_ms=None if since is None else to_epoch_ms(parse_time(since, now)),
        until_ms=None if until is None else to_epoch_ms(parse_time(until, now)),
        text=text,
        limit=limit or (None if export else DEFAULT_LIMIT),
    )
    files = _files()
    with _translate_errors(files):
        if export is not None:
            if not files.database.exists():
                print_line(EMPTY_LOG, to=err)
            _write(AuditLogReader(files).export(export, query) if files.database.exists() else (), output)
        elif follow:
            _follow(files, query, as_json=as_json)
        else:
            _list(files, query, as_json=as_json, filtered=query != AuditQuery(limit=query.limit))


@commands.command()
def show(
    entry: Annotated[int, typer.Argument(metavar="ID", help="The id that `browser-pilot log` shows.")],
    as_json: AsJson = False,
) -> None:
    """Show all details of one entry."""
    from browser_pilot.audit_log.reader import AuditLogReader

    files = _files()
    with _translate_errors(files):
        action = AuditLogReader(files).action(entry) if files.database.exists() else None
    if action is None:
        raise InvalidArgument(
            f"There is no entry {entry} in the audit log.",
            suggestions=["`browser-pilot log` lists the newest entries with their ids."],
        )
    if as_json:
        print_json(action.flat())
        return
    print_line(f"Entry {action.seq}")
    for label, value in details(action):
        first, *rest = value.splitlines()
        print_line(f"  {label:<10} ", first)
        for line in rest:
            print_line(" " * 13, line)


@commands.command("export-test")
def export_test(
    session: Annotated[
        str, typer.Argument(metavar="SESSION", help="The session that `browser-pilot log --json` shows.")
    ],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write; standard output by default.")
    ] = None,
) -> None:
    """Export the actions of a session as a test for pytest-playwright."""
    from browser_pilot.audit_log.playwright_export import to_playwright_test
    from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery

    files = _files()
    with _translate_errors(files):
        actions = (
            AuditLogReader(files).search(AuditQuery(session=session, limit=None)) if files.database.exists() else []
        )
    if not actions:
        raise InvalidArgument(
            f"The audit log has no entries of session {session!r}.",
            suggestions=["`browser-pilot log --json` shows the session of each action."],
        )
    _write([to_playwright_test(actions, session)], output)


@commands.command()
def verify(
    head: Annotated[
        list[str] | None,
        typer.Option(metavar="ROW:HASH", help="A head from an earlier run; it must still be in the log."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify that no entry was changed, removed or truncated; exits with 1 otherwise."""
    from browser_pilot.audit_log.hash_chain import EMPTY_HEAD as NO_ROWS
    from browser_pilot.audit_log.hash_chain import ChainProblem, VerificationReport
    from browser_pilot.audit_log.reader import AuditLogReader

    files = _files()
    known_heads = [_parse_head(text) for text in head or ()]
    started = time.monotonic()
    if files.database.exists():
        report = AuditLogReader(files).verify(known_heads=known_heads)
    elif files.head.exists() or known_heads:
        report = VerificationReport(
            0, NO_ROWS, (ChainProblem(0, f"The audit log is missing: {files.database} does not exist."),)
        )
    else:
        report = VerificationReport(0, NO_ROWS)
    seconds = time.monotonic() - started
    last = f"{report.head.seq}:{report.head.hash.hex()}"
    if as_json:
        problems = [{"row": problem.seq, "what": problem.text} for problem in report.problems]
        print_json({"ok": report.ok, "rows": report.rows, "head": last, "problems": problems})
    elif report.ok and not report.rows:
        print_line(SUCCESS, " ", EMPTY_LOG)
    elif report.ok:
        newest = AuditLogReader(files).entries(after=report.head.seq - 1, limit=1)
        until = f", the last from {format_time(newest[0].body.get('time_ms'))}" if newest else ""
        print_line(
            SUCCESS, f" The audit log is intact: {count_noun(report.rows, 'row')}{until}; verified in {seconds:.1f} s."
        )
        print_line("  Head ", last)
        print_line("  Store this head elsewhere: `log verify --head ROW:HASH` then detects even a complete forgery.")
    else:
        print_line(FAILURE, f" The audit log failed verification ({count_noun(report.rows, 'row')} read).")
        for problem in report.problems:
            print_line(f"  row {problem.seq}: ", problem.text)
        print_line("  → The remaining entries are still readable. `browser-pilot restore FILE` restores a backup.")
    if not report.ok:
        raise typer.Exit(1)


def _files() -> AuditLogFiles:
    from browser_pilot.audit_log.database import AuditLogFiles

    return AuditLogFiles.in_home(locate_home())


@contextmanager
def _translate_errors(files: AuditLogFiles) -> Generator[None]:
    """Translates database errors."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise RecordsUnavailable(
            f"The audit log {files.database} cannot be read: {error}.",
            suggestions=[
                "`browser-pilot log verify` shows details.",
                "`browser-pilot restore FILE` restores a backup; the current files are kept in a separate folder.",
            ],
        ) from None


def _list(files: AuditLogFiles, query: AuditQuery, *, as_json: bool, filtered: bool) -> None:
    from browser_pilot.audit_log.reader import AuditLogReader

    actions = AuditLogReader(files).search(query) if files.database.exists() else []
    if as_json:
        print_json([action.flat() for action in actions])
    elif actions:
        # Searches show the steps that match, other lists a run as one line.
        rows = list(map(list_row, actions)) if query.run or query.tool or query.text else list_rows(actions)
        table = layout(rows, width=_terminal_width())
        for row in (HEADINGS, *rows):
            out.out(table.line(row), highlight=False)
    else:
        print_line("No entries match." if filtered and files.database.exists() else EMPTY_LOG)


def _follow(files: AuditLogFiles, query: AuditQuery, *, as_json: bool) -> None:
    from browser_pilot.audit_log.tail import AuditLogTail

    follower = AuditLogTail(files, query)
    pause = threading.Event()
    table = layout(None, width=_terminal_width())
    if not as_json:
        out.out(table.line(HEADINGS), highlight=False)
    try:
        while True:
            for action in follower.poll():
                shown = json.dumps(action.flat(), ensure_ascii=False) if as_json else table.line(list_row(action))
                out.out(shown, highlight=False)
            sys.stdout.flush()
            pause.wait(POLL_SECONDS)
    except KeyboardInterrupt:
        # The usual way to stop it: no error message.
        raise typer.Exit(INTERRUPTED_EXIT_CODE) from None
    finally:
        follower.close()


def _terminal_width() -> int | None:
    return out.width if out.is_terminal else None


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
    print_line(SUCCESS, f" Wrote {output}.")


def _parse_head(text: str) -> ChainHead:
    from browser_pilot.audit_log.hash_chain import ChainHead

    seq, _, digest = text.partition(":")
    try:
        head = ChainHead(int(seq), bytes.fromhex(digest))
    except ValueError:
        head = ChainHead(0, b"")
    if head.seq < 1 or len(head.hash) != 32:
        raise InvalidArgument(
            f"{text!r} is not a log head.", suggestions=["Copy it from the output of `browser-pilot log verify`."]
        )
    return head
