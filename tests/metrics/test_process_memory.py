"""Memory of the hub and of the browsers below it, from real processes."""

from __future__ import annotations

import subprocess
import sys

from browser_pilot.metrics.process_memory import browsers_bytes, process_tree_bytes

READY = "import sys; held = b'x' * 40_000_000; print(flush=True); sys.stdin.read()"


def test_a_child_counts_and_is_a_browser_by_its_arguments() -> None:
    before, browsers_before = process_tree_bytes(), browsers_bytes()
    command = [sys.executable, "-c", READY, "--user-data-dir=/none"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert process_tree_bytes() - before > 30_000_000
        assert browsers_bytes() - browsers_before > 30_000_000
        assert browsers_bytes(exact_above=1 << 40) >= browsers_bytes() - browsers_before
        child.communicate()
    assert browsers_bytes() - browsers_before < 30_000_000
