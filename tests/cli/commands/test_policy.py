"""`policy`: templates, modes, rules and checks, without a running hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Pilot
from tests.integration.approvals.simulated_users import configure


def test_template_and_mode_keep_the_rest_of_the_file(pilot: Pilot, home: Path) -> None:
    configure(home, '# mine\n[policy]  # keep\nmode = "ask" # why\n\n[tools]\nmax_tokens = 500\n')
    assert pilot("policy", "template", "research").code == 0
    assert pilot("policy", "mode", "auto").code == 0
    text = (home / "config.toml").read_text()
    assert text.startswith("# mine\n[policy]  # keep\n")
    assert 'mode = "auto" # why' in text
    assert 'template = "research"' in text
    assert text.endswith("[tools]\nmax_tokens = 500\n")
    shown = pilot("policy", "show", "--json").data
    assert (shown["defaults"]["template"], shown["defaults"]["mode"]) == ("research", "auto")


@pytest.mark.parametrize(
    ("arguments", "verdict", "status"),
    [
        (["https://docs.example/"], "allow", 0),
        (["https://docs.example/", "--effect", "write"], "deny", 1),
        (["www.shop.example", "--effect", "write"], "ask", 0),
        (["https://x.example", "--effect", "write"], "allow", 0),
        (["https://x.example", "--effect", "write", "--button", "Pay now"], "ask", 0),
        (["https://x.example", "--effect", "write", "--browser", "own"], "ask", 0),
        (["http://169.254.169.254/"], "deny", 1),
    ],
)
def test_check_shows_the_policy_decision_and_its_rule(
    pilot: Pilot, home: Path, arguments: list[str], verdict: str, status: int
) -> None:
    configure(home, '[policy.domains."docs.example"]\nwrite = false')
    assert pilot("policy", "ask", "*.shop.example").code == 0
    outcome = pilot("policy", "check", *arguments, "--json")
    assert outcome.code == status
    decision = outcome.data
    assert decision["verdict"] == verdict
    assert decision["rule"]
    assert decision["reason"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["allow", "*.co.uk"],
        ["deny", "https://x.example/path"],
        ["forget", "never.example"],
        ["template", "lax"],
        ["mode", "wild"],
        ["mode", "ask", "--own", "--site", "x.example"],
        ["check", "file:///etc/passwd"],
    ],
)
def test_invalid_arguments_change_nothing(pilot: Pilot, home: Path, arguments: list[str]) -> None:
    outcome = pilot("policy", *arguments)
    assert outcome.code in (1, 2)
    assert outcome.err
    assert "Traceback" not in outcome.err
    assert not (home / "rules.json").exists()
    assert not (home / "config.toml").exists()


def test_an_allow_rule_overridden_by_a_configured_deny_gives_a_warning(pilot: Pilot, home: Path) -> None:
    configure(home, '[policy.domains."shop.example"]\nread = false')
    outcome = pilot("policy", "allow", "shop.example")
    assert "deny takes precedence over allow" in outcome.out
    assert pilot("policy", "check", "shop.example", "--json").data["verdict"] == "deny"


def test_an_invalid_settings_file_is_not_changed(pilot: Pilot, home: Path) -> None:
    configure(home, "[policy")
    for arguments in (["show"], ["mode", "ask"], ["allow", "x.example"], ["template", "strict"]):
        outcome = pilot("policy", *arguments)
        assert outcome.code == 1
        assert "config.toml" in outcome.err
    assert (home / "config.toml").read_text() == "[policy"
