"""Memory of the hub and of the browsers below it, from real processes."""

from __future__ import annotations

import json
import subprocess
import sys

# A process of its own: hubs and browsers of other tests come and go below a test worker.
MEASURE = """
import json, subprocess, sys
from browser_pilot.metrics.process_memory import browsers_bytes, process_tree_bytes

def measured():
    return {"tree": process_tree_bytes(), "browsers": browsers_bytes(), "estimate": browsers_bytes(exact_above=1 << 40)}

rows = [measured()]
ready = "import sys; held = b'x' * 40_000_000; print(flush=True); sys.stdin.read()"
command = [sys.executable, "-c", ready, *sys.argv[1:]]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
    child.stdout.readline()
    rows.append(measured())
    child.communicate()
rows.append(measured())
print(json.dumps(rows))
"""


def measured(*arguments: str) -> list[dict[str, int]]:
    """Before, during and after a child process of 40 MB with these arguments."""
    done = subprocess.run([sys.executable, "-c", MEASURE, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_child_counts_and_is_a_browser_by_its_arguments() -> None:
    before, during, after = measured("--user-data-dir=/none")
    assert during["tree"] - before["tree"] > 30_000_000
    assert before["browsers"] == after["browsers"] == 0
    assert during["estimate"] >= during["browsers"] > 30_000_000


def test_a_child_without_the_arguments_of_a_browser_is_none() -> None:
    _, during, _ = measured()
    assert (during["browsers"], during["estimate"]) == (0, 0)
