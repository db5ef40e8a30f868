"""The files of the dashboard: everything that a page or script refers to is served."""

from __future__ import annotations

import posixpath
import re

import pytest

from browser_pilot.ui.dashboard.static_files import read_file, read_page, served_files

SCRIPTS = sorted(name for name in served_files() if name.endswith(".js"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_import_of_a_served_script_is_served(name: str) -> None:
    text = read_file(name)[0].decode()
    imports = re.findall(r"^(?:import|export) (?:[^;]*? from )?'(\.[^']+)'", text, re.MULTILINE)
    missing = {posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in imports} - served_files()
    assert missing == set()


@pytest.mark.parametrize("name", ["dashboard", "sign_in"])
def test_every_file_that_a_page_refers_to_is_served(name: str) -> None:
    files = set(re.findall(r'(?:src|href)="/([^"]+)"', read_page(name)))
    assert files and files <= served_files()


def test_no_file_of_the_extension_is_served_that_the_dashboard_does_not_use() -> None:
    texts = [read_page("dashboard"), read_page("sign_in"), *(read_file(name)[0].decode() for name in SCRIPTS)]
    shared = {name for name in served_files() if name.startswith("extension/") and "_locales" not in name}
    unused = {name for name in shared if not any(name.rpartition("/")[2] in text for text in texts)}
    assert unused == set()
