"""A Chromium with a CDP endpoint that no hub has started."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from browser_pilot.engines.browser_finder import find_browser


@contextmanager
def chromium_at_cdp_endpoint(profile: Path) -> Generator[str]:
    """The ``host:port`` of its endpoint."""
    process = subprocess.Popen(
        [
            str(find_browser().executable),
            *("--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        found = next(found for line in process.stderr if (found := re.search(r"ws://([^/]+)/", line)))
        yield found[1]
    finally:
        process.kill()
        process.communicate(timeout=60)
