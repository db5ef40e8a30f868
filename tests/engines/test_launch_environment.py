"""The browser's temporary folder has a path that a socket can have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.engines.environment import LONGEST_BYTES, browser_environment
from browser_pilot.errors import BrowserUnavailable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only there are sockets files")

LONG = "/" + "x" * LONGEST_BYTES


@pytest.mark.parametrize("environ", [{"PATH": "/bin"}, {"TMPDIR": LONG[:-1]}])
def test_a_short_folder_is_left_as_it_is(environ: dict[str, str]) -> None:
    assert browser_environment(environ) == environ


def test_a_long_one_is_replaced_by_the_first_that_can_be_written(tmp_path: Path) -> None:
    folders = (tmp_path / "missing", tmp_path)
    assert browser_environment({"TMPDIR": LONG, "A": "b"}, short_folders=folders) == {"TMPDIR": str(tmp_path), "A": "b"}


def test_when_there_is_none_it_is_said_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(BrowserUnavailable, match="too long") as caught:
        browser_environment({"TMPDIR": LONG}, short_folders=(tmp_path / "missing",))
    assert "TMPDIR" in caught.value.suggestions[0]
