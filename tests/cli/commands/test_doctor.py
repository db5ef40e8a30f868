"""`doctor`: reports problems with a fix, and exits with 1 only for problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Pilot


def findings(outcome: Outcome) -> dict[str, dict[str, str]]:
    return {finding["what"]: finding for finding in outcome.data["findings"]}


@pytest.mark.browser
def test_without_problems_it_exits_with_0_and_shows_the_browser_version(pilot: Pilot, home: Path) -> None:
    outcome = pilot("doctor", "--json")
    assert outcome.code == 0
    found = findings(outcome)
    assert found["Browser"]["state"] == "ok"
    assert found["Browser"]["says"].endswith("starts")
    assert any(character.isdigit() for character in found["Browser"]["says"])
    assert {
        "Settings",
        "Python",
        "Packages",
        "Home",
        "Disk",
        "Playwright",
        "Display",
        "Log",
        "Secrets",
        "Hub",
        "Page",
    } <= found.keys()
    assert found["Page"]["says"].startswith("a hub of this check opened a page")
    assert not home.exists()


def test_a_hub_that_does_not_start_is_a_problem_with_its_cause(pilot: Pilot) -> None:
    outcome = pilot("doctor", "--json", env={"BROWSER_PILOT_TOOLS__PROFILE": "bogus"})
    assert outcome.code == 1
    page = findings(outcome)["Page"]
    assert (page["state"], page["says"]) == ("problem", "'bogus' is neither a tool nor a profile.")
    assert page["mend"].startswith("Profiles:")


@pytest.mark.browser
def test_the_page_is_opened_through_the_running_hub_and_within_its_rules(
    pilot_of_hub: Pilot, pilot: Pilot, home: Path
) -> None:
    assert findings(pilot_of_hub("doctor", "--json"))["Page"]["says"].startswith("the running hub opened a page")
    home.mkdir()
    (home / "config.toml").write_text('[policy.domains."127.0.0.1"]\nread = false\n')
    page = findings(pilot("doctor", "--json"))["Page"]
    assert page["state"] == "warning"
    assert "your rules" in page["says"]


def test_a_browser_that_does_not_start_is_a_problem_with_a_fix(pilot: Pilot, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    outcome = pilot("doctor", env={"BROWSER_PILOT_BROWSER__EXECUTABLE": str(broken)})
    assert outcome.code == 1
    assert f"✗ Browser    {broken} could not be started" in outcome.out
    assert "→ Try another" in outcome.out
    assert "Found 1 problem." in outcome.out


def test_invalid_settings_do_not_stop_the_other_checks(pilot: Pilot, home: Path) -> None:
    home.mkdir(mode=0o755)
    (home / "config.toml").write_text('[browser]\nexecutable = "/none"\nheadles = true')
    outcome = pilot("doctor", "--json")
    assert outcome.code == 1
    found = findings(outcome)
    assert found["Settings"]["state"] == "problem"
    assert "browser.headles" in found["Settings"]["says"]
    assert found["Home"]["state"] == "warning"
    assert found["Home"]["mend"] == f"chmod 700 '{home}'"
    assert found["Python"]["state"] == "ok"
