"""What the `policy` commands do: read the rules in force, try them out, change them, and tell a running hub.

Apart from the commands themselves because it needs the policy engine, for which `browser-pilot status` should not wait.
"""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from ..approvals.rules_store import RulesStore
from ..config import PolicySettings, load_settings
from ..errors import SettingsError
from ..policy.budgets import Budgets
from ..policy.decide import Decision, Request, decide
from ..policy.hosts import Address, parse_address
from ..policy.rules import Rule, Ruleset
from ..policy.sensitivity import ElementFacts
from ..policy.vocabulary import Effect, Engine, Mode, Verdict
from ..rulebook import compile_policy, parse_domains
from ..runtime import read_runtime
from ..settings_file import set_setting
from .hub import ask as ask_hub
from .output import GOOD, WARNING, say

SOURCE = "browser-pilot policy"


@dataclass(frozen=True)
class InForceNow:
    """As the files and the environment say; a hub that was started with options of its own may differ."""

    settings: PolicySettings
    rules: Ruleset


class _Problem(BaseModel):
    message: str


class _Reloaded(BaseModel):
    problem: _Problem | None


def read_in_force(home: Path) -> InForceNow:
    settings = load_settings(home=home).policy
    return InForceNow(settings, compile_policy(settings).with_rules(RulesStore(home).load()))


def judge(rules: Ruleset, url: str, *, effect: Effect, button: str, browser: Engine) -> tuple[Address, Decision]:
    address = parse_address(url)
    element = ElementFacts(role="button", name=button) if button else None
    request = Request(effect=effect, target=address.site, url=address.href, element=element, engine=browser)
    return address, decide(request, rules, Budgets(), 0.0)


def put_rule(
    home: Path,
    pattern: str,
    said: str,
    *,
    read: Verdict | None = None,
    write: Verdict | None = None,
    requires_approval: bool | None = None,
    mode: Mode | None = None,
) -> None:
    """Make a rule, and say so; ``{}`` in ``said`` stands for the sites."""
    rule = Rule(
        pattern=parse_domains("The pattern", [pattern])[0],
        read=read,
        write=write,
        requires_approval=requires_approval,
        mode=mode,
        source=SOURCE,
    )
    settings = read_in_force(home).settings
    RulesStore(home).put(rule)
    say(GOOD, " ", said.format(rule.pattern))
    for other in compile_policy(settings).rules:
        refused = "deny" in (other.read, other.write) and "deny" not in (rule.read, rule.write)
        if other.pattern == rule.pattern and refused:
            say(WARNING, f" But {other.label} says no, and a no goes before a yes.")
    _tell_hub(home)


def forget_rule(home: Path, pattern: str) -> None:
    (wanted,) = parse_domains("The pattern", [pattern])
    if not RulesStore(home).forget(wanted):
        raise SettingsError(
            f"You have made no rule for {wanted}.",
            suggestions=["`browser-pilot policy show` lists the rules in force."],
        )
    say(GOOD, f" Your rule for {wanted} is gone.")
    _tell_hub(home)


def set_policy(home: Path, key: Literal["mode", "own_mode", "template"], value: str) -> None:
    read_in_force(home)
    set_setting(home, ("policy", key), value)
    say(GOOD, f" policy.{key} is {value}.")
    if getattr(load_settings(home=home).policy, key) != value:
        say(WARNING, f" But BROWSER_PILOT_POLICY__{key.upper()} is set in the environment and goes over it.")
    _tell_hub(home)


def _tell_hub(home: Path) -> None:
    """Have a running hub take the change up now; it would also find it by itself."""
    info = read_runtime(home)
    if info is None:
        return
    try:
        status, body = ask_hub(info, "POST", "/api/reload")
    except (OSError, http.client.HTTPException):
        return
    problem = _Reloaded.model_validate_json(body).problem if status == http.client.OK else None
    if problem is not None:
        say(WARNING, f" The hub has not taken it: {problem.message}")
