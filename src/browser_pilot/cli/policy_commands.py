"""The implementation of the `policy` commands: load the policy, evaluate it, change it, and reload a running hub.

Separate from the commands because it imports the policy engine, which `--help` should not wait for.
"""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from browser_pilot.config.editor import set_setting
from browser_pilot.config.policy_rules import compile_policy, parse_domains
from browser_pilot.config.settings import PolicySettings, load_settings
from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.errors import SettingsError
from browser_pilot.hub_discovery.runtime_file import read_runtime
from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import PolicyDecision, PolicyRequest, decide
from browser_pilot.policy.hosts import Address, parse_address
from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts
from browser_pilot.policy.types import Effect, EngineKind, Mode, Verdict

from .hub_control import send_request as ask_hub
from .output import SUCCESS, WARNING, print_line

SOURCE = "browser-pilot policy"


@dataclass(frozen=True)
class EffectivePolicy:
    """The policy of the files and the environment; a hub started with command-line options may differ."""

    settings: PolicySettings
    rules: Ruleset


class _Problem(BaseModel):
    message: str


class _ReloadResponse(BaseModel):
    problem: _Problem | None


def load_effective_policy(home: Path) -> EffectivePolicy:
    settings = load_settings(home=home).policy
    return EffectivePolicy(settings, compile_policy(settings).with_rules(UserRulesStore(home).load()))


def evaluate(
    rules: Ruleset, url: str, *, effect: Effect, button: str, browser: EngineKind
) -> tuple[Address, PolicyDecision]:
    address = parse_address(url)
    element = ElementFacts(role="button", name=button) if button else None
    request = PolicyRequest(effect=effect, target=address.site, url=address.href, element=element, engine=browser)
    return address, decide(request, rules, Budgets(), 0.0)


def save_rule(
    home: Path,
    pattern: str,
    message: str,
    *,
    read: Verdict | None = None,
    write: Verdict | None = None,
    requires_approval: bool | None = None,
    mode: Mode | None = None,
) -> None:
    """Store a rule and print ``message``, in which ``{}`` stands for the pattern."""
    rule = Rule(
        pattern=parse_domains("The pattern", [pattern])[0],
        read=read,
        write=write,
        requires_approval=requires_approval,
        mode=mode,
        source=SOURCE,
    )
    settings = load_effective_policy(home).settings
    UserRulesStore(home).put(rule)
    print_line(SUCCESS, " ", message.format(rule.pattern))
    for other in compile_policy(settings).rules:
        still_denied = "deny" in (other.read, other.write) and "deny" not in (rule.read, rule.write)
        if other.pattern == rule.pattern and still_denied:
            print_line(
                WARNING,
                f" {other.label[0].upper()}{other.label[1:]} still denies it: deny takes precedence over allow.",
            )
    _reload_hub(home)


def remove_rule(home: Path, pattern: str) -> None:
    (wanted,) = parse_domains("The pattern", [pattern])
    if not UserRulesStore(home).remove(wanted):
        raise SettingsError(
            f"There is no user rule for {wanted}.",
            suggestions=["`browser-pilot policy show` lists the rules."],
        )
    print_line(SUCCESS, f" Removed your rule for {wanted}.")
    _reload_hub(home)


def set_policy(home: Path, key: Literal["mode", "own_mode", "template"], value: str) -> None:
    load_effective_policy(home)
    set_setting(home, ("policy", key), value)
    print_line(SUCCESS, f" policy.{key} is {value}.")
    if getattr(load_settings(home=home).policy, key) != value:
        print_line(WARNING, f" BROWSER_PILOT_POLICY__{key.upper()} is set in the environment and overrides it.")
    _reload_hub(home)


def _reload_hub(home: Path) -> None:
    """Make a running hub reload its configuration now; it also polls for changes."""
    info = read_runtime(home)
    if info is None:
        return
    try:
        status, body = ask_hub(info, "POST", "/api/reload")
    except (OSError, http.client.HTTPException):
        return
    problem = _ReloadResponse.model_validate_json(body).problem if status == http.client.OK else None
    if problem is not None:
        print_line(WARNING, f" The hub could not apply the change: {problem.message}")
