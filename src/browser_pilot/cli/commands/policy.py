"""`browser-pilot policy`: what agents may do, seen, tried out and changed.

Rules for sites go to the rules that people made; the template and the mode are settings, so that they go to
config.toml, whose comments stay. A running hub takes both up at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..config import Mode
from ..home import locate_home
from ..policy.vocabulary import Effect, Engine
from ..policy_templates import TemplateName
from .output import BAD, GOOD, WARNING, AsJson, print_json, print_table, say

if TYPE_CHECKING:
    from ..policy.rules import Rule

commands = typer.Typer(help="What agents may do: see it, try it out, change it.", no_args_is_help=True)

Pattern = Annotated[str, typer.Argument(metavar="PATTERN", help="example.com, *.example.com, localhost:3000, *")]
Part = Annotated[
    Literal["read", "write"] | None,
    typer.Option("--effect", help="Only reading, or only changing things; both if left out."),
]

HEADINGS = ("site", "read", "write", "asks", "mode", "steps an hour", "from")
UNCOVERED = {"allow": "agents may use them.", "ask": "agents ask you first.", "deny": "agents may not use them."}
VERDICTS = {"allow": (GOOD, "Allowed"), "ask": (WARNING, "You would be asked"), "deny": (BAD, "Denied")}


@commands.command()
def show(as_json: AsJson = False) -> None:
    """Show the rules in force and what holds where no rule speaks."""
    from .rules import read_in_force

    now = read_in_force(locate_home())
    policy = now.settings
    rows = [_row(rule) for rule in now.rules.rules]
    if as_json:
        defaults = policy.model_dump(mode="json", exclude={"domains"})
        print_json({"defaults": defaults, "rules": [dict(zip(HEADINGS, row, strict=True)) for row in rows]})
        return
    say(f"Template {policy.template}; mode {policy.mode} in managed browsers, {policy.own_mode} in your own Chrome.")
    say(f"Sites without a rule: {UNCOVERED[policy.uncovered]}")
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
    from .rules import judge, read_in_force

    rules = read_in_force(locate_home()).rules
    address, decision = judge(rules, url, effect=effect, button=button, browser=browser)
    if as_json:
        told = {"verdict": decision.verdict, "rule": decision.rule, "reason": decision.reason, "risk": decision.risk}
        print_json({"url": address.href, "site": str(address.site), "effect": effect, **told})
    else:
        mark, word = VERDICTS[decision.verdict]
        by = "" if decision.rule in decision.reason else f" Decided by {decision.rule}."
        say(mark, f" {word}: {decision.reason}{by}")
    if decision.verdict == "deny":
        raise typer.Exit(1)


@commands.command()
def allow(
    pattern: Pattern,
    effect: Part = None,
    without_asking: Annotated[
        bool, typer.Option("--without-asking", help="Also what is sensitive: payments, deletions, everything.")
    ] = False,
) -> None:
    """Let agents use a site."""
    from .rules import put_rule

    put_rule(
        locate_home(),
        pattern,
        f"Agents may {'read' if effect == 'read' else 'use'} {{}}{', without asking you first' * without_asking}.",
        read="allow" if effect != "write" else None,
        write="allow" if effect != "read" else None,
        requires_approval=False if without_asking else None,
        mode="auto" if without_asking else None,
    )


@commands.command()
def deny(pattern: Pattern, effect: Part = None) -> None:
    """Keep agents from a site; with --effect write, from changing anything on it."""
    from .rules import put_rule

    said = f"Agents may not {'change anything on' if effect == 'write' else 'use'} {{}}."
    put_rule(locate_home(), pattern, said, read=None if effect == "write" else "deny", write="deny")


@commands.command()
def ask(pattern: Pattern, effect: Part = "write") -> None:
    """Have agents ask you before they change anything on a site; with --effect read, before they even look."""
    from .rules import put_rule

    said = f"Agents ask you before they {'use' if effect == 'read' else 'change anything on'} {{}}."
    put_rule(locate_home(), pattern, said, read="ask" if effect == "read" else "allow", write="ask")


@commands.command()
def forget(pattern: Pattern) -> None:
    """Take back what you said of a site; the configuration and the defaults hold again."""
    from .rules import forget_rule

    forget_rule(locate_home(), pattern)


@commands.command()
def template(name: TemplateName) -> None:
    """Choose a ready-made policy: strict, read-only, balanced, developer or research."""
    from .rules import set_policy

    set_policy(locate_home(), "template", name)


@commands.command()
def mode(
    wanted: Annotated[Mode, typer.Argument(metavar="MODE", help="auto, ask or readonly")],
    site: Annotated[str | None, typer.Option(metavar="PATTERN", help="On these sites only.")] = None,
    own: Annotated[bool, typer.Option("--own", help="In your own Chrome; otherwise in managed browsers.")] = False,
) -> None:
    """Choose how much agents may do by themselves, everywhere or on a site."""
    from .rules import put_rule, set_policy

    if site is not None and own:
        raise typer.BadParameter("--own and --site do not go together")
    if site is not None:
        put_rule(locate_home(), site, f"The mode on {{}} is {wanted}.", mode=wanted)
    else:
        set_policy(locate_home(), "own_mode" if own else "mode", wanted)


def _row(rule: Rule) -> tuple[str, ...]:
    if rule.requires_approval is not None:
        asks = "before every change" if rule.requires_approval else "never"
    else:
        asks = f"from {rule.ask_from} risk" if rule.ask_from not in (None, "never") else rule.ask_from or ""
    steps = "" if rule.max_steps_per_hour is None else str(rule.max_steps_per_hour)
    return (str(rule.pattern), rule.read or "", rule.write or "", asks, rule.mode or "", steps, rule.source)
