"""What the dashboard is made of is there, and whole."""

from __future__ import annotations

import posixpath
import re

import pytest

from browser_pilot.dashboard.files import content, served

SCRIPTS = sorted(name for name in served() if name.endswith(".js"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_whatever_a_script_imports_is_served_too(name: str) -> None:
    text = content(name)[0].decode()
    imports = re.findall(r"^(?:import|export) (?:[^;]*? from )?'(\.[^']+)'", text, re.MULTILINE)
    missing = {posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in imports} - served()
    assert missing == set()
