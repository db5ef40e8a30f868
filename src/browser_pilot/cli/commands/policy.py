"""`browser-pilot policy`: shows, checks and changes what agents may do.

Site rules are stored as user rules; the template and the mode are settings in config.toml, whose comments are kept. A
running hub applies both immediately.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from browser_pilot.cli.output import FAILURE, SUCCESS, WARNING, AsJson, print_json, print_line, print_table
from browser_pilot.config.policy_templates import TemplateName
from browser_pilot.home import locate_home
from browser_pilot.policy.types import Effect, EngineKind, Mode

if TYPE_CHECKING:
    from browser_pilot.policy.rules import Rule

commands = typer.Typer(help="Show, check and change what agents may do.", no_args_is_help=True)

Pattern = Annotated[str, typer.Argument(metavar="PATTERN", help="example.com, *.example.com, localhost:3000, *")]
EffectOption = Annotated[
    Literal["read", "write"] | None,
    typer.Option("--effect", help="Only reading, or only writing; both by default."),
]

HEADINGS = ("site", "read", "write", "asks", "mode", "steps an hour", "from")
UNCOVERED = {"allow": "agents may use them.", "ask": "your approval is needed.", "deny": "agents may not use them."}
VERDICTS = {"allow": (SUCCESS, "Allowed"), "ask": (WARNING, "Approval needed"), "deny": (FAILURE, "Denied")}


@commands.command()
def show(as_json: AsJson = False) -> None:
    """Show the policy: its rules, and the defaults for sites without a rule."""
    from browser_pilot.cli.policy_commands import load_effective_policy

    effective = load_effective_policy(locate_home())
    policy = effective.settings
    rows = [_row(rule) for rule in effective.rules.rules]
    if as_json:
        defaults = policy.model_dump(mode="json", exclude={"domains"})
        print_json({"defaults": defaults, "rules": [dict(zip(HEADINGS, row, strict=True)) for row in rows]})
        return
    print_line(
        f"Template {policy.template}; mode {policy.mode} in managed browsers, {policy.own_mode} in your own Chrome."
    )
    print_line(f"Sites without a rule: {UNCOVERED[policy.uncovered]}")
    ask_from = policy.ask_from
    print_line(
        f"Actions need approval from this risk on: {ask_from.own} in your own Chrome, "
        f"{ask_from.managed} in managed browsers, {ask_from.loopback} on loopback sites."
    )
    steps = "unlimited" if policy.step_budget is None else policy.step_budget
    print_line(f"Steps per session: {steps}. Calls per minute, for each client and tool: {policy.rate_per_minute}.")
    if rows:
        print_table([heading.capitalize() for heading in HEADINGS], rows)
    else:
        print_line("There are no site rules.")


@commands.command()
def check(
    url: Annotated[str, typer.Argument(help="The URL to open, or of the page.")],
    effect: Annotated[Effect, typer.Option(help="The effect to check.")] = "read",
    button: Annotated[str, typer.Option(help="The label of the button to click.")] = "",
    browser: Annotated[EngineKind, typer.Option(help="In a managed browser, or in your own Chrome.")] = "managed",
    as_json: AsJson = False,
) -> None:
    """Show the policy decision for an action: allowed, approval needed or denied, and by which rule."""
    from browser_pilot.cli.policy_commands import evaluate, load_effective_policy

    rules = load_effective_policy(locate_home()).rules
    address, decision = evaluate(rules, url, effect=effect, button=button, browser=browser)
    if as_json:
        result = {"verdict": decision.verdict, "rule": decision.rule, "reason": decision.reason, "risk": decision.risk}
        print_json({"url": address.href, "site": str(address.site), "effect": effect, **result})
    else:
        mark, label = VERDICTS[decision.verdict]
        by = "" if decision.rule in decision.reason else f" Decided by {decision.rule}."
        print_line(mark, f" {label}: {decision.reason}{by}")
    if decision.verdict == "deny":
        raise typer.Exit(1)


@commands.command()
def allow(
    pattern: Pattern,
    effect: EffectOption = None,
    without_asking: Annotated[
        bool, typer.Option("--without-asking", help="Never ask for approval, not even for payments or deletions.")
    ] = False,
) -> None:
    """Allow agents to use a site."""
    from browser_pilot.cli.policy_commands import save_rule

    save_rule(
        locate_home(),
        pattern,
        f"Agents may {'read' if effect == 'read' else 'use'} {{}}{' without approval' * without_asking}.",
        read="allow" if effect != "write" else None,
        write="allow" if effect != "read" else None,
        requires_approval=False if without_asking else None,
        mode="auto" if without_asking else None,
    )


@commands.command()
def deny(pattern: Pattern, effect: EffectOption = None) -> None:
    """Deny agents a site; with --effect write, only changes on it."""
    from browser_pilot.cli.policy_commands import save_rule

    message = f"Agents may not {'change anything on' if effect == 'write' else 'use'} {{}}."
    save_rule(locate_home(), pattern, message, read=None if effect == "write" else "deny", write="deny")


@commands.command()
def ask(
    pattern: Pattern,
    effect: Annotated[
        Literal["read", "write"] | None, typer.Option(help="What needs approval: changes, or opening the site as well.")
    ] = "write",
) -> None:
    """Require your approval for changes on a site; with --effect read, for opening it as well."""
    from browser_pilot.cli.policy_commands import save_rule

    message = f"Agents need your approval to {'use' if effect == 'read' else 'change anything on'} {{}}."
    save_rule(locate_home(), pattern, message, read="ask" if effect == "read" else "allow", write="ask")


@commands.command()
def forget(pattern: Pattern) -> None:
    """Remove your rule for a site; the configuration and the defaults apply again."""
    from browser_pilot.cli.policy_commands import remove_rule

    remove_rule(locate_home(), pattern)


@commands.command()
def template(name: TemplateName) -> None:
    """Select a policy template: strict, read-only, balanced, developer or research."""
    from browser_pilot.cli.policy_commands import set_policy

    set_policy(locate_home(), "template", name)


@commands.command()
def mode(
    selected: Annotated[Mode, typer.Argument(metavar="MODE", help="auto, ask or readonly")],
    site: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only on these sites.")] = None,
    own: Annotated[bool, typer.Option("--own", help="In your own Chrome; by default in managed browsers.")] = False,
) -> None:
    """Set how much agents may do without approval, everywhere or on a site."""
    from browser_pilot.cli.policy_commands import save_rule, set_policy

    if site is not None and own:
        raise typer.BadParameter("--own and --site cannot be combined")
    if site is not None:
        save_rule(locate_home(), site, f"The mode on {{}} is {selected}.", mode=selected)
    else:
        set_policy(locate_home(), "own_mode" if own else "mode", selected)


def _row(rule: Rule) -> tuple[str, ...]:
    if rule.requires_approval is not None:
        asks = "before every change" if rule.requires_approval else "never"
    else:
        asks = f"from {rule.ask_from} risk" if rule.ask_from not in (None, "never") else rule.ask_from or ""
    steps = "" if rule.max_steps_per_hour is None else str(rule.max_steps_per_hour)
    return (str(rule.pattern), rule.read or "", rule.write or "", asks, rule.mode or "", steps, rule.source)
