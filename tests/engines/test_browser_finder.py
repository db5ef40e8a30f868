"""Finding the browser: the user's choice first, then Chrome, Chromium, Edge, then Playwright's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.errors import BrowserUnavailable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="makes executables by mode")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Linux machine whose programs are the files in ``bin``."""
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "bin").mkdir()
    return tmp_path


def environ(machine: Path) -> dict[str, str]:
    return {"PATH": str(machine / "bin"), "PLAYWRIGHT_BROWSERS_PATH": str(machine / "downloads")}


def install(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_chrome_comes_before_chromium_before_edge_before_playwrights(machine: Path) -> None:
    variables = environ(machine)
    downloaded = install(machine / "downloads" / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_browser(environ=variables).executable == downloaded
    for kind, program in (("edge", "microsoft-edge"), ("chromium", "chromium"), ("chrome", "google-chrome")):
        path = install(machine / "bin" / program)
        found = find_browser(environ=variables)
        assert (found.kind, found.executable) == (kind, path)


def test_a_browser_is_chosen_by_kind(machine: Path) -> None:
    install(machine / "bin" / "google-chrome")
    edge = install(machine / "bin" / "microsoft-edge")
    assert find_browser("edge", environ(machine)).executable == edge


def test_a_browser_is_chosen_by_path(machine: Path) -> None:
    install(machine / "bin" / "chromium")
    brave = install(machine / "opt" / "brave")
    found = find_browser(str(brave), environ(machine))
    assert (found.kind, found.executable) == ("custom", brave)


def test_the_download_of_playwright_with_the_highest_revision_is_used(machine: Path) -> None:
    for revision in ("999", "1200", "1100"):
        install(machine / "downloads" / f"chromium-{revision}" / "chrome-linux" / "chrome")
    assert "chromium-1200" in str(find_browser(environ=environ(machine)).executable)


def test_a_file_that_is_not_executable_is_ignored(machine: Path) -> None:
    install(machine / "bin" / "chromium", mode=0o644)
    install(machine / "downloads" / "chromium-1" / "chrome-linux" / "chrome", mode=0o644)
    with pytest.raises(BrowserUnavailable):
        find_browser(environ=environ(machine))


def test_without_a_browser_the_error_suggests_to_install_one(machine: Path) -> None:
    with pytest.raises(BrowserUnavailable) as caught:
        find_browser(environ=environ(machine))
    assert any("setup-browser" in tip for tip in caught.value.suggestions)


@pytest.mark.parametrize("wanted", ["opera", "/no/such/file", "/"])
def test_an_unknown_browser_is_an_error_that_lists_the_installed_ones(machine: Path, wanted: str) -> None:
    chromium = install(machine / "bin" / "chromium")
    with pytest.raises(BrowserUnavailable) as caught:
        find_browser(wanted, environ(machine))
    assert wanted in caught.value.message
    assert str(chromium) in " ".join(caught.value.suggestions)
