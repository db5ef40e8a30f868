"""The mark of the web: a saved file carries the URL that it came from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.files.file_writer import PartialFile

NAMES = ("1706284800123.png",)


def test_a_file_has_the_url_that_it_came_from(tmp_path: Path) -> None:
    part = PartialFile(tmp_path, max_bytes=1 << 20)
    try:
        os.setxattr(tmp_path, "user.try", b"1")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    path = part.finish(NAMES, source="https://a.test/x.png", referrer="https://a.test/").path
    assert os.getxattr(path, "user.xdg.origin.url") == b"https://a.test/x.png"
    assert os.getxattr(path, "user.xdg.referrer.url") == b"https://a.test/"


def test_the_content_of_a_data_url_is_not_in_the_mark(tmp_path: Path) -> None:
    path = (
        PartialFile(tmp_path, max_bytes=1 << 20)
        .finish(NAMES, source="data:text/plain;base64,c2VjcmV0", referrer="")
        .path
    )
    if "user.xdg.origin.url" not in os.listxattr(path):
        pytest.skip("this file system has no extended attributes")
    assert os.getxattr(path, "user.xdg.origin.url") == b"data:text/plain;base64"
