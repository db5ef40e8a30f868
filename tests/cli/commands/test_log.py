"""`browser-pilot log`: list, filters, follow, exports, details and verification."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from queue import Queue

import pytest

from browser_pilot.audit_log.entries import AuditIntent, AuditNote, AuditOutcome, RunStep
from browser_pilot.cli.doctor_checks import check_hub
from browser_pilot.cli.log_view import HEADINGS, layout
from browser_pilot.config.settings import Settings
from tests.audit_log.logs import DONE, changing, click, opened, reader, remove_database
from tests.cli.conftest import Invoke, Pilot
from tests.hub_process import environment, running_hub
from tests.integration.approvals.simulated_users import configure
from tests.sites import Site

DENIED = '[policy.domains."site.example"]\nread = false\n'
REFUSED = AuditOutcome("refused", duration_ms=1, error="DOMAIN_DENIED")


async def fill(home: Path) -> None:
    """Rows 1 and 2: a click. 3 and 4: a denied navigation. 5: a note. 6: in progress."""
    async with opened(home) as log:
        await log.outcome(await log.intent(click(site="localhost:3000", url="http://localhost:3000/")), DONE)
        await log.record(AuditIntent("c2", "browser_navigate", site="shop.evil.example", decision="deny"), REFUSED)
        await log.note(AuditNote("Rule added\x1b[31m", by="ann"))
        await log.intent(click(tool="browser_hover", session="s2"))


@pytest.fixture
def filled(home: Path) -> Path:
    asyncio.run(fill(home))
    return home


def test_without_a_log_every_command_says_that_it_is_empty(invoke: Invoke, home: Path) -> None:
    for arguments in ((), ("verify",)):
        outcome = invoke("log", *arguments)
        assert outcome.code == 0
        assert "The audit log is empty" in outcome.out
    assert invoke("log", "--json").data == []
    assert invoke("log", "--export", "jsonl").out == ""
    assert not home.exists()


@pytest.mark.usefixtures("filled")
def test_each_action_is_one_line_with_time_client_tool_site_decision_result_and_duration(invoke: Invoke) -> None:
    heading, *lines = invoke("log").out.splitlines()
    assert heading.split() == ["Id", "Time", "Client", "Tool", "Site", "Decision", "Result", "Took"]
    assert len(lines) == 4
    for word in ("c1", "browser_click", "localhost:3000", "allow", "ok", "12 ms", f"{datetime.now():%m-}"):
        assert word in lines[0]
    for word in ("c2", "browser_navigate", "shop.evil.example", "deny", "refused DOMAIN_DENIED"):
        assert word in lines[1]
    assert "ann" in lines[2]
    assert "in progress" in lines[3]


@pytest.mark.usefixtures("filled")
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_an_action_is_one_line_that_fits(home: Path, columns: int) -> None:
    import pty

    master, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "browser_pilot", "log"],
        env={**environment(home), "COLUMNS": str(columns), "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        timeout=100,
        check=True,
    )
    os.close(terminal)
    shown = b""
    while b"in progress" not in shown:
        shown += os.read(master, 4096)
    os.close(master)
    assert done.returncode == 0
    heading, *lines = shown.decode().splitlines()
    assert len(lines) == 4
    assert all(len(line) <= columns for line in (heading, *lines))
    for word in ("browser_navigate", "shop.evil.example", "DOMAIN_DENIED"):
        assert word in lines[1]


def test_a_narrow_terminal_shows_fewer_columns_and_cuts_long_texts() -> None:
    row = ("123456", "11-19 21:00:00", "Claude Desktop", "browser_fill_form", "a" * 60, "ask", "ok", "12.3 s")
    for width in (200, 120, 80):
        line = layout([row], width=width).line(row)
        assert len(line) <= width
        assert "browser_fill_form" in line
        assert ("12.3 s" in line) == (width > 80)
    assert len(layout([row], width=None).line(row)) > 120
    assert len(layout(None, width=80).line(HEADINGS)) <= 80


@pytest.mark.usefixtures("filled")
def test_control_characters_are_escaped(invoke: Invoke) -> None:
    shown = invoke("log").out + invoke("log", "show", "5").out
    assert "\x1b" not in shown
    assert "\\x1b[31m" in shown


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (("--tool", "browser_hover"), [6]),
        (("--site", "localhost"), [1]),
        (("--site", "localhost:3000"), [1]),
        (("--site", "localhost:30"), []),
        (("--site", "Evil.example"), [3]),
        (("--site", "vil.example"), []),
        (("--session", "s2"), [6]),
        (("--client", "c2"), [3]),
        (("--decision", "deny"), [3]),
        (("--text", "RULE added"), [5]),
        (("--limit", "2"), [5, 6]),
        (("--since", "1h"), [1, 3, 5, 6]),
        (("--until", "1h"), []),
        (("--since", "2999-01-01"), []),
    ],
)
@pytest.mark.usefixtures("filled")
def test_filters_select_matching_entries(invoke: Invoke, options: tuple[str, ...], ids: list[int]) -> None:
    assert [entry["id"] for entry in invoke("log", "--json", *options).data] == ids


async def fill_with_runs(home: Path) -> None:
    """Rows 1 to 6: a run of three steps, of which the second was refused. 7: another client's click. 9: another run."""
    async with opened(home) as log:
        for number, outcome in enumerate((DONE, REFUSED, DONE), 1):
            step = replace(click(), run=RunStep("ab12", number, 3), decision="ask" if number == 3 else "allow")
            await log.record(step, outcome)
        await log.record(click(client="c2"), DONE)
        await log.intent(replace(click(site="b.example"), run=RunStep("cd34", 1, 2)))


def test_a_run_is_one_line_that_the_run_option_expands(invoke: Invoke, home: Path) -> None:
    asyncio.run(fill_with_runs(home))
    _, first, other, second = invoke("log").out.splitlines()
    for word in ("1 ", "c1", "run ab12", "a.example", "ask", "2 of 3 ok, refused DOMAIN_DENIED", "26 ms"):
        assert word in first
    assert "browser_click" in other
    assert "0 of 2 ok, in progress" in second
    _, *steps = invoke("log", "--run", "ab12").out.splitlines()
    assert ["browser_click" in line for line in steps] == [True] * 3
    assert len(invoke("log", "--tool", "browser_click").out.splitlines()) == 6
    assert [row.get("run") for row in invoke("log", "--json").data] == ["ab12", "ab12", "ab12", None, "cd34"]
    shown = invoke("log", "show", "3").out
    assert "  Run        ab12\n" in shown
    assert "  Step       2\n" in shown


@pytest.mark.usefixtures("filled")
def test_no_matching_entry_has_a_message(invoke: Invoke) -> None:
    assert invoke("log", "--tool", "browser_fly").out == "No entries match.\n"


@pytest.mark.usefixtures("filled")
def test_show_prints_all_details_of_an_entry(invoke: Invoke) -> None:
    for entry in ("1", "2"):
        outcome = invoke("log", "show", entry)
        assert outcome.out.startswith("Entry 1\n")
        for word in ("http://localhost:3000/", '"element": "e1"', "Clicked.", "12 ms", "s1"):
            assert word in outcome.out
    assert invoke("log", "show", "3", "--json").data["error"] == "DOMAIN_DENIED"


@pytest.mark.usefixtures("filled")
def test_an_unknown_entry_is_an_error(invoke: Invoke) -> None:
    outcome = invoke("log", "show", "77")
    assert outcome.code == 1
    assert "There is no entry 77" in outcome.err


@pytest.mark.usefixtures("filled")
def test_exports_go_to_standard_output_or_a_private_file(invoke: Invoke, tmp_path: Path) -> None:
    lines = invoke("log", "--export", "jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 3, 5, 6]
    tmp_path.chmod(0o755)
    file = tmp_path / "log.csv"
    outcome = invoke("log", "--export", "csv", "--decision", "deny", "--output", str(file))
    assert outcome.code == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [(row["id"], row["error"]) for row in rows] == [("3", "DOMAIN_DENIED")]
    assert file.stat().st_mode & 0o777 == 0o600
    assert tmp_path.stat().st_mode & 0o777 == 0o755, "the mode of the user's folder must not change"


@pytest.mark.parametrize("options", [("--output", "x"), ("--follow", "--export", "csv"), ("--limit", "0")])
def test_invalid_combinations_of_options_are_rejected(invoke: Invoke, options: tuple[str, ...]) -> None:
    assert invoke("log", *options).code == 2


@pytest.mark.usefixtures("filled")
def test_verify_shows_the_rows_and_the_head_of_an_intact_log(invoke: Invoke) -> None:
    outcome = invoke("log", "verify")
    assert outcome.code == 0
    assert "The audit log is intact: 6 rows" in outcome.out
    head = invoke("log", "verify", "--json").data["head"]
    assert head in outcome.out
    assert invoke("log", "verify", "--head", head).code == 0


def test_verify_detects_that_a_known_head_is_missing(invoke: Invoke, filled: Path) -> None:
    head = invoke("log", "verify", "--json").data["head"]
    seq, _, digest = head.partition(":")
    forged = f"{seq}:{digest[:-1]}{'0' if digest[-1] != '0' else '1'}"
    outcome = invoke("log", "verify", "--head", forged)
    assert outcome.code == 1
    assert "row 6: Row 6 is not the one in the stored head." in outcome.out
    assert invoke("log", "verify", "--head", "6:abc").code == 1
    for path in filled.glob("activity.*"):
        path.unlink()
    assert invoke("log", "verify").code == 0
    assert invoke("log", "verify", "--head", head).code == 1


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE entries SET body = replace(body, 'browser_click', 'browser_hover') WHERE seq = 1", "Row 1"),
        ("DELETE FROM entries WHERE seq = 3", "Row 3 is missing."),
        ("DELETE FROM entries WHERE seq > 4", "Rows 5 to 6 are missing."),
    ],
)
def test_verify_names_the_modified_rows(invoke: Invoke, filled: Path, statement: str, expected: str) -> None:
    with changing(filled) as connection:
        connection.execute(statement)
    outcome = invoke("log", "verify")
    assert outcome.code == 1
    assert expected in outcome.out
    assert not invoke("log", "verify", "--json").data["ok"]


def test_verify_detects_a_consistent_truncation_by_the_anchor(invoke: Invoke, filled: Path) -> None:
    with changing(filled) as connection:
        connection.execute("DELETE FROM entries WHERE seq > 4")
        connection.execute("UPDATE head SET seq = 4, hash = (SELECT hash FROM entries WHERE seq = 4)")
    outcome = invoke("log", "verify")
    assert outcome.code == 1
    assert "row 5: Rows 5 to 6 are missing." in outcome.out


def test_verify_detects_a_removed_log(invoke: Invoke, filled: Path) -> None:
    remove_database(filled)
    outcome = invoke("log", "verify")
    assert outcome.code == 1
    assert "The audit log is missing" in outcome.out


def test_a_damaged_file_is_an_error_with_a_message(invoke: Invoke, filled: Path) -> None:
    remove_database(filled)
    (filled / "activity.db").write_bytes(b"no database" * 500)
    for arguments in ((), ("show", "1"), ("--export", "csv")):
        outcome = invoke("log", *arguments)
        assert outcome.code == 1
        assert "cannot be read: file is not a database" in outcome.err
        assert "log verify" in outcome.err
    outcome = invoke("log", "verify")
    assert outcome.code == 1
    assert "damaged" in outcome.out


def test_a_damaged_row_does_not_hide_the_others(invoke: Invoke, filled: Path) -> None:
    with changing(filled) as connection:
        connection.execute("UPDATE entries SET body = '{broken' WHERE seq = 3")
    assert [entry["id"] for entry in invoke("log", "--json", "--client", "c1").data] == [1, 6]
    assert invoke("log", "show", "3").code == 1


async def test_follow_prints_actions_as_they_finish(home: Path) -> None:
    lines: Queue[str] = Queue()
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "log", "--follow", "--json", "--client", "c1"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell that runs the tests in the background makes its children ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None

    def read_lines() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)

    follower = threading.Thread(target=read_lines, daemon=True)
    follower.start()
    try:
        async with opened(home) as log:
            first = await log.intent(click())
            await log.record(AuditIntent("someone else", "browser_click"), DONE)
            await log.outcome(first, DONE)
            seen = await asyncio.to_thread(_until_ended, lines)
            assert (seen["id"], seen["status"]) == (first, "ok")
            second = await log.record(click(), REFUSED)
            seen = await asyncio.to_thread(_until_ended, lines)
            assert (seen["id"], seen["error"]) == (second, "DOMAIN_DENIED")
        assert reader(home).verify().ok
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        follower.join(20)
        assert lines.empty()
    finally:
        process.kill()
        process.wait(20)
        follower.join(20)
        process.stdout.close()


def _until_ended(lines: Queue[str]) -> dict[str, object]:
    while True:
        shown = json.loads(lines.get(timeout=60))
        if "status" in shown:
            return shown


def test_a_closed_pipe_is_not_an_error(pilot: Pilot, filled: Path) -> None:
    command = f"{sys.executable} -m browser_pilot log --export jsonl | head -n 1"
    done = subprocess.run(
        command, shell=True, env=environment(filled), capture_output=True, text=True, timeout=100, check=False
    )
    assert json.loads(done.stdout)["id"] == 1
    assert done.stderr == ""


@pytest.mark.browser
def test_actions_are_in_the_log_while_the_hub_runs_and_after(pilot: Pilot, home: Path, site: Site) -> None:
    with running_hub(home) as hub:
        assert pilot("call", "browser_navigate", json.dumps({"url": site.url()})).code == 0
        assert pilot("call", "browser_click", '{"element": "button"}').code == 0
        running = pilot("log", "--site", "127.0.0.1", "--json").data
        parts = pilot("status", "--json").data["parts"]
        assert parts["log"] == {"state": "ok", "says": f"written to {home / 'activity.db'}"}
        with hub.http() as http:
            assert 'browser_pilot_decisions_total{decision="allow"' in http.get("/metrics").text
    assert [entry["tool"] for entry in running] == ["browser_navigate", "browser_click"]
    assert all(entry["status"] == "ok" and entry["duration_ms"] > 0 for entry in running)
    assert pilot("log", "--site", "127.0.0.1", "--json").data == running
    assert pilot("log", "verify").code == 0


def test_redaction_settings_can_change_while_the_hub_runs(pilot: Pilot, home: Path) -> None:
    def shown() -> str:
        pilot("call", "browser_navigate", '{"url": "http://site.example/?to=ann@mail.example"}')
        return pilot("log", "--site", "site.example", "--limit", "1", "--json").out

    configure(home, f"{DENIED}[redaction]\nemail = true")
    with running_hub(home) as hub:
        assert "[redacted:email]" in shown()
        assert "ann@mail.example" not in pilot("log", "--json").out
        configure(home, DENIED)
        with hub.http() as http:
            assert http.post("/api/reload").json() == {"problem": None}
        assert "ann@mail.example" in shown()


def test_a_log_that_cannot_be_written_degrades_the_hub(pilot: Pilot, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "activity.db").mkdir()
    with running_hub(home) as hub:
        outcome = pilot("status")
        assert "✗ Log" in outcome.out
        assert pilot("status", "--json").data["status"] == "degraded"
        found = [(finding.name, finding.state) for finding in check_hub(home, Settings())]
        assert found == [("Hub", "ok"), ("Hub: log", "problem")]
        with hub.http() as http:
            assert http.get("/health").json()["parts"]["log"] == "problem"
