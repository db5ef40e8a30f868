"""`config show|path|check`: values, origins, the path and validation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Pilot


def test_path_prints_the_path_of_a_missing_file(pilot: Pilot, home: Path) -> None:
    assert pilot("config", "path").out.strip() == str(home / "config.toml")


def test_show_prints_each_value_and_its_origin(pilot: Pilot, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[browser]\nviewport = [800, 600]\n[tools]\nprofile = "minimal"\n')
    data = pilot("config", "show", "--json", env={"BROWSER_PILOT_TOOLS__PROFILE": "full"}).data
    assert data["browser.viewport"] == {"value": [800, 600], "from": str(home / "config.toml")}
    assert data["tools.profile"] == {"value": "full", "from": "BROWSER_PILOT_TOOLS__PROFILE"}
    assert data["hub.port"] == {"value": 0, "from": "BROWSER_PILOT_PORT"}
    assert data["hub.host"] == {"value": "127.0.0.1", "from": "the default"}
    assert data["policy.ask_from.own"]["from"] == "the default"
    text = pilot("config", "show").out
    assert "[800, 600]" in text
    assert str(home / "config.toml") in text


def test_check_reports_valid_settings(pilot: Pilot, home: Path) -> None:
    outcome = pilot("config", "check")
    assert outcome.code == 0
    assert "The settings are valid" in outcome.out
    assert pilot("config", "check", "--json").data == {
        "ok": True,
        "file": str(home / "config.toml"),
        "exists": False,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[hub]\nidle_minutes = -1", "hub.idle_minutes = -1"),
        ("[hob]\nport = 1", "hob"),
        ('[tools]\nformat = "xml"', "tools.format = 'xml'"),
        ('[tools]\nprofile = "-standard"', "leaves no tool"),
        ('[browser]\nexecutable = "/no/such/browser"', "/no/such/browser"),
        ("port = ", "not valid TOML"),
    ],
)
def test_check_names_the_invalid_setting(pilot: Pilot, home: Path, text: str, expected: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(text)
    outcome = pilot("config", "check")
    assert outcome.code == 1
    assert expected in outcome.err


def test_a_settings_file_that_cannot_be_read_is_reported(pilot: Pilot, home: Path) -> None:
    (home / "config.toml").mkdir(parents=True)
    outcome = pilot("config", "check")
    assert outcome.code == 1
    assert "cannot be read" in outcome.err


def test_an_unknown_variable_is_rejected_by_name(pilot: Pilot) -> None:
    outcome = pilot("config", "check", env={"BROWSER_PILOT_HUB__PROT": "1"})
    assert outcome.code == 1
    assert "BROWSER_PILOT_HUB__PROT" in outcome.err


def test_show_leaves_out_credentials_in_urls(pilot: Pilot, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[network]\nproxy = "http://ada:s3cret@proxy.test:3128"\n')
    for options in ((), ("--json",)):
        text = pilot("config", "show", *options).out
        assert "proxy.test:3128" in text
        assert "s3cret" not in text
