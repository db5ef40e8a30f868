"""Compiling policy settings and templates into rules; invalid values are refused with their key."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from browser_pilot.config.policy_rules import compile_policy, parse_domains
from browser_pilot.config.policy_templates import TEMPLATES, TemplateName
from browser_pilot.config.settings import PolicySettings, client_settings, load_settings
from browser_pilot.errors import SettingsError
from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import PolicyDecision, PolicyRequest, decide
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.sensitivity import ElementFacts
from browser_pilot.policy.subresources import decide_reach
from browser_pilot.policy.types import Effect, EngineKind

SAVE = ElementFacts(role="button", name="Save")
DELETE = ElementFacts(role="button", name="Delete account")


def policy(home: Path, text: str) -> PolicySettings:
    (home / "config.toml").write_text(text, encoding="utf-8")
    return load_settings(home=home, environ={}).policy


def judge(
    settings: PolicySettings,
    host: str,
    *,
    effect: Effect = "write",
    element: ElementFacts = SAVE,
    engine: EngineKind = "managed",
) -> PolicyDecision:
    request = PolicyRequest(effect=effect, target=Site("https", host, 443), element=element, engine=engine)
    return decide(request, compile_policy(settings), Budgets(), 0.0)


def test_domains_of_the_file_are_compiled_into_rules(tmp_path: Path) -> None:
    settings = policy(
        tmp_path,
        """
        [policy]
        uncovered = "deny"
        step_budget = 5
        sensitive_patterns = ["launch"]
        [policy.ask_from]
        managed = "medium"
        [policy.subresources]
        allow = ["*.cdn.example"]
        [policy.domains."*.example.com"]
        read = true
        write = "ask"
        max_steps_per_hour = 10
        [policy.domains."docs.example.com"]
        write = false
        """,
    )
    assert judge(settings, "www.example.com").verdict == "ask"
    assert judge(settings, "docs.example.com").verdict == "deny"
    assert judge(settings, "docs.example.com", effect="read").verdict == "allow"
    assert judge(settings, "example.net", effect="read").verdict == "deny"
    assert [charge.limit for charge in judge(settings, "www.example.com").charges] == [5, 10]
    ruleset = compile_policy(settings)
    assert ruleset.defaults.ask_from == {"own": "low", "managed": "medium", "loopback": "never"}
    assert ruleset.defaults.sensitive.matches_any(["LAUNCH"])
    assert decide_reach(ruleset, Site("https", "a.cdn.example", 443)).allowed


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[policy.domains."*.co.uk"]\nread = true', "policy.domains"),
        ('[policy.subresources]\nallow = ["https://x"]', "policy.subresources.allow"),
        ('[policy.subresources]\ndeny = ["*.com"]', "policy.subresources.deny"),
        ('[policy]\nsensitive_patterns = ["(a+)+"]', "policy.sensitive_patterns"),
    ],
)
def test_an_invalid_pattern_is_refused_with_its_key(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(SettingsError, match=key):
        compile_policy(policy(tmp_path, text))


@pytest.mark.parametrize("text", ['[policy]\ntemplate = "lax"', '[policy.domains."a.com"]\nread = "maybe"'])
def test_an_invalid_value_is_refused_on_load(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="policy"):
        policy(tmp_path, text)


def test_read_only_applies_to_the_users_own_chrome_too() -> None:
    settings = PolicySettings(mode="readonly")
    assert judge(settings, "a.com", engine="own").verdict == "deny"
    assert judge(PolicySettings(), "a.com", engine="own").verdict == "ask"


def test_a_sessions_domains_are_parsed_under_their_own_key() -> None:
    assert [str(one) for one in parse_domains("allowed_domains", ["EXAMPLE.com", "*.a.org"])] == [
        "example.com",
        "*.a.org",
    ]
    with pytest.raises(SettingsError, match="allowed_domains"):
        parse_domains("allowed_domains", ["*.com"])


@pytest.mark.parametrize("name", get_args(TemplateName))
def test_every_template_can_be_used(tmp_path: Path, name: TemplateName) -> None:
    settings = policy(tmp_path, f'[policy]\ntemplate = "{name}"')
    compile_policy(settings)
    for key, value in TEMPLATES[name].items():
        given = getattr(settings, key)
        assert given == value or key in ("ask_from", "domains")


def test_strict_allows_only_sites_with_a_rule_and_asks_before_each_write(tmp_path: Path) -> None:
    settings = policy(tmp_path, '[policy]\ntemplate = "strict"\n[policy.domains."a.com"]\nwrite = true')
    assert judge(settings, "b.com", effect="read").verdict == "deny"
    assert judge(settings, "a.com").verdict == "ask"


def test_read_only_denies_writes(tmp_path: Path) -> None:
    settings = policy(tmp_path, '[policy]\ntemplate = "read-only"')
    assert judge(settings, "a.com").verdict == "deny"
    assert judge(settings, "a.com", effect="read").verdict == "allow"


def test_developer_needs_no_approval_on_loopback_and_asks_elsewhere(tmp_path: Path) -> None:
    settings = policy(tmp_path, '[policy]\ntemplate = "developer"')
    assert judge(settings, "localhost", element=DELETE, engine="own").verdict == "allow"
    assert judge(settings, "a.com").verdict == "ask"


def test_research_allows_searches_and_asks_before_sensitive_actions(tmp_path: Path) -> None:
    settings = policy(tmp_path, '[policy]\ntemplate = "research"')
    assert judge(settings, "a.com").verdict == "allow"
    assert judge(settings, "a.com", element=DELETE).verdict == "ask"


def test_user_settings_override_the_template(tmp_path: Path) -> None:
    settings = policy(
        tmp_path,
        """
        [policy]
        template = "strict"
        uncovered = "ask"
        ask_from = { managed = "high" }
        [policy.domains."a.com"]
        read = true
        """,
    )
    assert settings.uncovered == "ask"
    assert settings.mode == "ask"
    assert (settings.ask_from.managed, settings.ask_from.loopback) == ("high", "low")
    assert settings.step_budget == 200


def test_a_users_rule_replaces_the_templates_rule_for_the_same_pattern(tmp_path: Path) -> None:
    settings = policy(tmp_path, '[policy]\ntemplate = "developer"\n[policy.domains."*"]\nwrite = true')
    assert judge(settings, "a.com").verdict == "allow"
    assert judge(settings, "localhost", element=DELETE).verdict == "allow"


def test_a_clients_options_keep_the_template(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[policy]\ntemplate = "strict"', encoding="utf-8")
    settings = client_settings(load_settings(home=tmp_path, environ={}), {"read_only": True}).policy
    assert (settings.mode, settings.uncovered) == ("readonly", "deny")
