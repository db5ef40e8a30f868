"""The browser's temporary folder has a path that is short enough for a socket."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.engines.launch_environment import MAX_TMPDIR_BYTES, browser_environment
from browser_pilot.errors import BrowserUnavailable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sockets are files on POSIX only")

LONG = "/" + "x" * MAX_TMPDIR_BYTES


@pytest.mark.parametrize("environ", [{"PATH": "/bin"}, {"TMPDIR": LONG[:-1]}])
def test_a_short_tmpdir_is_not_changed(environ: dict[str, str]) -> None:
    assert browser_environment(environ) == environ


def test_a_long_tmpdir_is_replaced_by_the_first_writable_folder(tmp_path: Path) -> None:
    folders = (tmp_path / "missing", tmp_path)
    assert browser_environment({"TMPDIR": LONG, "A": "b"}, short_folders=folders) == {"TMPDIR": str(tmp_path), "A": "b"}


def test_without_a_writable_folder_the_error_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(BrowserUnavailable, match="too long") as caught:
        browser_environment({"TMPDIR": LONG}, short_folders=(tmp_path / "missing",))
    assert "TMPDIR" in caught.value.suggestions[0]
