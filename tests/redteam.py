"""``make redteam``: runs the hostile tests kind by kind and prints how much was tried and how much held.

``python -m tests.redteam [KIND …]`` runs some kinds only. ``ROUNDS=…`` sets the number of approval swaps and of secret
canaries (3,000 and 2,000); ``LONG=1`` adds the tests that take minutes. The report of failed tests follows the table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .attempts import REPORT_VARIABLE

ROOT = Path(__file__).parent
# Files by kind, as patterns: a new file of a kind is found by its name.
KINDS: dict[str, tuple[str, ...]] = {
    "egress channels": (
        "egress/test_egress_channels.py",
        "integration/egress/*.py",
        "integration/user_chrome/test_domain_rules.py",
        "integration/user_chrome/test_egress_channels.py",
    ),
    "proxy smuggling": ("egress/test_http1*.py", "egress/test_proxy_connection.py", "egress/test_access_policy.py"),
    "floods": ("**/test_*flood*.py", "integration/recovery/*.py"),
    "approval swaps": (
        "**/test_*swap*.py",
        "integration/approvals/test_form_handlers.py",
        "integration/approvals/test_scripts.py",
        "integration/approvals/test_cookies.py",
    ),
    "secret canaries": (
        "redaction/test_*canar*.py",
        "redaction/test_redactor.py",
        "integration/redaction/*.py",
        "integration/secrets/*.py",
    ),
    "forged answers": (
        "integration/tools/test_hostile_text.py",
        "page/snapshot/test_concealed_text.py",
        "test_safe_text.py",
    ),
    "malformed messages": (
        "stdio_adapter/test_jsonrpc.py",
        "integration/mcp/test_malformed_requests.py",
        "integration/tools/test_invalid_calls.py",
        "extension_bridge/test_endpoint_attacks.py",
        "integration/http/*.py",
        "integration/dashboard/test_cross_origin_attacks.py",
    ),
    "files": ("files/*.py", "integration/approvals/test_uploads.py"),
    "guests": (
        "guests/test_hostile_guests.py",
        "guests/test_sandbox.py",
        "guests/test_guest_identity.py",
        "guests/test_argument_validation.py",
    ),
}


@dataclass
class Outcome:
    kind: str
    tried: int = 0
    held: int = 0
    skipped: int = 0
    seconds: float = 0
    failed: list[str] = field(default_factory=list[str])

    @property
    def all_held(self) -> bool:
        return self.tried == self.held and self.tried > 0


def files_of(kind: str) -> list[Path]:
    found = {path for pattern in KINDS[kind] for path in ROOT.glob(pattern) if path.name.startswith("test_")}
    return sorted(found)


def run_kind(kind: str, folder: Path) -> Outcome:
    report, results = folder / f"{kind}.jsonl", folder / f"{kind}.xml"
    report.touch()
    long = ["--long"] if os.environ.get("LONG") else []
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--junitxml={results}", *long]
    started = time.monotonic()
    subprocess.run(
        [*command, *map(str, files_of(kind))],
        env={**os.environ, REPORT_VARIABLE: str(report)},
        stdout=(folder / f"{kind}.txt").open("w", encoding="utf-8"),
        stderr=subprocess.STDOUT,
        check=False,
    )
    outcome = summarize(kind, report.read_text(encoding="utf-8"), results.read_text() if results.exists() else "")
    outcome.seconds = time.monotonic() - started
    return outcome


def summarize(kind: str, attempts: str, results: str) -> Outcome:
    """Counts of a run: the attempts that tests counted themselves, else one for each test."""
    outcome = Outcome(kind)
    counted: dict[str, int] = {}
    for line in attempts.splitlines():
        entry = json.loads(line)
        counted[_key(entry["test"])] = counted.get(_key(entry["test"]), 0) + entry["tried"]
    for name, state in _states(results):
        if state == "skipped":
            outcome.skipped += 1
            continue
        tried = counted.get(name, 1)
        outcome.tried += tried
        if state == "failed":
            outcome.failed.append(name)
        outcome.held += tried - (1 if state == "failed" else 0)
    return outcome


def _states(results: str) -> Iterator[tuple[str, str]]:
    if not results:
        return
    for case in ET.fromstring(results).iter("testcase"):
        tags = {child.tag for child in case}
        state = "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
        yield f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}", state


def _key(test: str) -> str:
    """``tests/a/test_b.py::test_c[d]`` as the results name it."""
    path, _, name = test.partition("::")
    return f"{Path(path).stem}::{name}"


def table(outcomes: Sequence[Outcome]) -> str:
    rows = [("kind", "tried", "held", "skipped", "seconds")]
    rows += [(one.kind, f"{one.tried:,}", f"{one.held:,}", str(one.skipped), f"{one.seconds:.0f}") for one in outcomes]
    tried, held = sum(one.tried for one in outcomes), sum(one.held for one in outcomes)
    rows.append(("all", f"{tried:,}", f"{held:,}", "", f"{sum(one.seconds for one in outcomes):.0f}"))
    return "\n".join(f"{row[0]:<20}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows)


def show(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    chosen = sys.argv[1:] or list(KINDS)
    unknown = [kind for kind in chosen if kind not in KINDS]
    if unknown:
        show(f"Unknown: {', '.join(unknown)}. Kinds: {', '.join(KINDS)}.")
        return 2
    folder = Path(tempfile.mkdtemp(prefix="redteam-"))
    outcomes: list[Outcome] = []
    for kind in chosen:
        show(f"{kind} …")
        outcomes.append(run_kind(kind, folder))
    show(f"\n{table(outcomes)}\n")
    for one in outcomes:
        for name in one.failed:
            show(f"NOT HELD  {one.kind}: {name}")
        if not one.tried:
            show(f"NOTHING TRIED  {one.kind}")
    show(f"Output of the tests: {folder}")
    return 0 if all(one.all_held for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
