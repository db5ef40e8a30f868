"""`setup-browser`: does nothing if a browser is installed, and tries the install methods otherwise."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from browser_pilot.cli.commands.setup_browser import install_methods
from tests.cli.conftest import Pilot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="uses shell scripts as stand-ins")


@pytest.fixture
def bare(tmp_path: Path) -> tuple[Path, dict[str, str | None]]:
    """A machine without browsers: its own PATH folder, and downloads that fail immediately."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in ("sh", "env", "chmod", "cat"):
        (folder / program).symlink_to(shutil.which(program) or program)
    script(folder / "sudo", 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"')
    return folder, {
        "PATH": str(folder),
        "HOME": str(tmp_path),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "browsers"),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
    }


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.browser
def test_an_installed_browser_is_used(pilot: Pilot) -> None:
    assert pilot("setup-browser", "--quiet").out == ""
    assert pilot("setup-browser").out.startswith("✓ ")


def test_the_system_package_is_installed_when_the_download_fails(
    pilot: Pilot, bare: tuple[Path, dict[str, str | None]]
) -> None:
    folder, environ = bare
    chromium = folder / "chromium"
    log = folder / "log"
    install = f'case "$1" in install) printf "#!/bin/sh\\necho 1\\n" > {chromium}; chmod 755 {chromium};; esac'
    script(folder / "apt-get", f'echo "$@" >> {log}; {install}')
    outcome = pilot("setup-browser", "--quiet", env=environ)
    assert outcome.code == 0, outcome.err
    assert f"chromium at {chromium}" in outcome.out
    assert "Downloading Playwright's Chromium" in outcome.err
    assert "Failed: " in outcome.err
    assert log.read_text().splitlines() == ["update", "install -y --no-install-recommends chromium"]
    assert pilot("setup-browser", "--quiet", env=environ).err == ""


def test_a_package_that_does_not_start_is_a_failure(pilot: Pilot, bare: tuple[Path, dict[str, str | None]]) -> None:
    folder, environ = bare
    script(folder / "apt-get", f'printf "#!/bin/sh\\nexit 127\\n" > {folder}/chromium; chmod 755 {folder}/chromium')
    outcome = pilot("setup-browser", env=environ)
    assert outcome.code == 1
    assert "No browser could be installed." in outcome.err


def test_when_every_method_fails_it_prints_manual_commands(
    pilot: Pilot, bare: tuple[Path, dict[str, str | None]]
) -> None:
    folder, environ = bare
    script(folder / "dnf", "exit 1")
    outcome = pilot("setup-browser", env=environ)
    assert outcome.code == 1
    assert "→ Install a browser: sudo dnf install chromium" in outcome.err
    assert "browser.executable" in outcome.err


def test_a_configured_browser_that_is_missing_is_not_replaced(pilot: Pilot) -> None:
    outcome = pilot("setup-browser", env={"BROWSER_PILOT_BROWSER__EXECUTABLE": "/no/browser"})
    assert outcome.code == 1
    assert "/no/browser" in outcome.err


def test_libraries_are_only_installed_by_root_on_linux() -> None:
    assert next(install_methods(is_root=True, platform="linux")).repair is not None
    assert next(install_methods(is_root=False, platform="linux")).repair is None
    assert next(install_methods(is_root=True, platform="darwin")).repair is None
