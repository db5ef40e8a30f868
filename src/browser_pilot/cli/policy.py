"""`browser-pilot policy`: what agents may do, seen, tried out and changed.

Rules for sites go to the rules that people made; the template and the mode are settings, so that they go to
config.toml, whose comments stay. A running hub takes both up at once.
"""

from __future__ import annotations

import http.client
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import BaseModel

from ..approvals.rules_store import RulesStore
from ..config import Mode, Settings, load_settings
from ..errors import SettingsError
from ..home import locate_home
from ..policy.budgets import Budgets
from ..policy.decide import Request, decide
from ..policy.hosts import parse_address
from ..policy.patterns import Pattern
from ..policy.rules import Rule, Ruleset
from ..policy.sensitivity import ElementFacts
from ..policy.vocabulary import Effect, Engine
from ..policy_templates import TemplateName
from ..rulebook import compile_policy, parse_domains
from ..runtime import read_runtime
from .hub import ask as ask_hub
from .output import BAD, GOOD, WARNING, print_json, print_table, say
from .settings_file import set_setting
from .status import AsJson

SOURCE = "browser-pilot policy"

commands = typer.Typer(help="What agents may do: see it, try it out, change it.", no_args_is_help=True)

PatternArgument = Annotated[
    str, typer.Argument(metavar="PATTERN", help="example.com, *.example.com, localhost:3000, *")
]
Part = Annotated[
    Literal["read", "write"] | None,
    typer.Option("--effect", help="Only reading, or only changing things; both if left out."),
]


class _Problem(BaseModel):
    message: str


class _Reloaded(BaseModel):
    problem: _Problem | None


@commands.command()
def show(as_json: AsJson = False) -> None:
    """Show the rules in force and what holds where no rule speaks."""
    settings, rules = _in_force(locate_home())
    policy = settings.policy
    rows = [_row(rule) for rule in rules.rules]
    if as_json:
        defaults = policy.model_dump(mode="json", exclude={"domains"})
        print_json({"defaults": defaults, "rules": [dict(zip(HEADINGS, row, strict=True)) for row in rows]})
        return
    say(f"Template {policy.template}; mode {policy.mode} in managed browsers, {policy.own_mode} in your own Chrome.")
    say(f"Sites without a rule: {_UNCOVERED[policy.uncovered]}")
    asking = policy.ask_from
    say(
        f"Sensitive actions ask from this risk on: {asking.own} in your own Chrome, "
        f"{asking.managed} in managed browsers, {asking.loopback} on this machine's own servers."
    )
    steps = policy.step_budget or "any number of"
    say(f"A session may take {steps} steps, and a client make {policy.rate_per_minute} calls a minute of each kind.")
    if rows:
        print_table([heading.capitalize() for heading in HEADINGS], rows)
    else:
        say("There are no rules for single sites.")


@commands.command()
def check(
    url: str,
    effect: Annotated[Effect, typer.Option(help="What the agent would do there.")] = "read",
    button: Annotated[str, typer.Option(help="The words on the button that it would press.")] = "",
    browser: Annotated[Engine, typer.Option(help="In a managed browser, or in your own Chrome.")] = "managed",
    as_json: AsJson = False,
) -> None:
    """Say what would happen if an agent did this: allowed, asked or denied, and by which rule."""
    _, rules = _in_force(locate_home())
    address = parse_address(url)
    element = ElementFacts(role="button", name=button) if button else None
    request = Request(effect=effect, target=address.site, url=address.href, element=element, engine=browser)
    decision = decide(request, rules, Budgets(), 0.0)
    if as_json:
        told = {"verdict": decision.verdict, "rule": decision.rule, "reason": decision.reason, "risk": decision.risk}
        print_json({"url": address.href, "site": str(address.site), "effect": effect, **told})
    else:
        mark, word = _VERDICTS[decision.verdict]
        by = "" if decision.rule in decision.reason else f" Decided by {decision.rule}."
        say(mark, f" {word}: {decision.reason}{by}")
    if decision.verdict == "deny":
        raise typer.Exit(1)


@commands.command()
def allow(
    pattern: PatternArgument,
    effect: Part = None,
    without_asking: Annotated[
        bool, typer.Option("--without-asking", help="Also what is sensitive: payments, deletions, everything.")
    ] = False,
) -> None:
    """Let agents use a site."""
    rule = Rule(
        pattern=_pattern(pattern),
        read="allow" if effect != "write" else None,
        write="allow" if effect != "read" else None,
        requires_approval=False if without_asking else None,
        mode="auto" if without_asking else None,
        source=SOURCE,
    )
    _put(rule, f"Agents may use {rule.pattern}{', without asking you first' if without_asking else ''}.")


@commands.command()
def deny(pattern: PatternArgument, effect: Part = None) -> None:
    """Keep agents from a site."""
    rule = Rule(
        pattern=_pattern(pattern),
        read="deny" if effect != "write" else None,
        write="deny",
        source=SOURCE,
    )
    _put(rule, f"Agents may not {'change anything on' if effect == 'write' else 'use'} {rule.pattern}.")


@commands.command()
def ask(pattern: PatternArgument, effect: Part = "write") -> None:
    """Have agents ask you before they change anything on a site (or, with --effect read, before they look)."""
    rule = Rule(
        pattern=_pattern(pattern),
        read="ask" if effect == "read" else "allow",
        write="ask",
        source=SOURCE,
    )
    _put(rule, f"Agents ask you before they {'use' if effect == 'read' else 'change anything on'} {rule.pattern}.")


@commands.command()
def forget(pattern: PatternArgument) -> None:
    """Take back what you said of a site; the configuration and the defaults hold again."""
    home = locate_home()
    wanted = _pattern(pattern)
    if not RulesStore(home).forget(wanted):
        raise SettingsError(
            f"You have made no rule for {wanted}.",
            suggestions=["`browser-pilot policy show` lists the rules in force."],
        )
    say(GOOD, f" Your rule for {wanted} is gone.")
    _tell_hub(home)


@commands.command()
def template(name: TemplateName) -> None:
    """Choose a ready-made policy: strict, read-only, balanced, developer or research."""
    _set("template", name)


@commands.command()
def mode(
    wanted: Annotated[Mode, typer.Argument(metavar="MODE", help="auto, ask or readonly")],
    site: Annotated[str | None, typer.Option(metavar="PATTERN", help="On these sites only.")] = None,
    own: Annotated[bool, typer.Option("--own", help="In your own Chrome; otherwise in managed browsers.")] = False,
) -> None:
    """Choose how much agents may do by themselves, everywhere or on a site."""
    if site is None:
        _set("own_mode" if own else "mode", wanted)
    elif own:
        raise typer.BadParameter("--own and --site do not go together")
    else:
        rule = Rule(pattern=_pattern(site), mode=wanted, source=SOURCE)
        _put(rule, f"The mode on {rule.pattern} is {wanted}.")


HEADINGS = ("site", "read", "write", "asks", "mode", "steps an hour", "from")
_UNCOVERED = {"allow": "agents may use them.", "ask": "agents ask you first.", "deny": "agents may not use them."}
_VERDICTS = {"allow": (GOOD, "Allowed"), "ask": (WARNING, "You would be asked"), "deny": (BAD, "Denied")}


def _row(rule: Rule) -> tuple[str, ...]:
    if rule.requires_approval is not None:
        asks = "before every change" if rule.requires_approval else "never"
    else:
        asks = f"from {rule.ask_from} risk" if rule.ask_from not in (None, "never") else rule.ask_from or ""
    steps = "" if rule.max_steps_per_hour is None else str(rule.max_steps_per_hour)
    return (str(rule.pattern), rule.read or "", rule.write or "", asks, rule.mode or "", steps, rule.source)


def _in_force(home: Path) -> tuple[Settings, Ruleset]:
    settings = load_settings(home=home)
    return settings, compile_policy(settings.policy).with_rules(RulesStore(home).load())


def _pattern(text: str) -> Pattern:
    return parse_domains("The pattern", [text])[0]


def _put(rule: Rule, said: str) -> None:
    home = locate_home()
    settings, _ = _in_force(home)
    RulesStore(home).put(rule)
    say(GOOD, f" {said}")
    for other in compile_policy(settings.policy).rules:
        refused = "deny" in (other.read, other.write) and "deny" not in (rule.read, rule.write)
        if other.pattern == rule.pattern and refused:
            say(WARNING, f" But {other.label} says no, and a no goes before a yes.")
    _tell_hub(home)


def _set(key: Literal["mode", "own_mode", "template"], value: str) -> None:
    home = locate_home()
    _in_force(home)
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
