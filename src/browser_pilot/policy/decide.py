"""The policy decision for one effect on one site: allow, ask or deny.

A pure function of the request, the rules, the counters and the time. Checks run in this order, and the first denial is
final: pages and addresses that are never used; the session's domains; the rules of every affected site (the page, the
frame of the element, the target of its form), of which the strictest counts; read-only mode; budgets. Whatever passes
may still require approval: first for a new site, then for the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from browser_pilot.errors import BudgetExhausted, DomainDenied, ReadOnly, Refused

from .budgets import HOUR_SECONDS, Charge, Shortage, client_account
from .hosts import Site, address_class, is_loopback, page_site
from .patterns import Pattern, any_covers
from .rule_advice import SESSION_DOMAINS, rule_advice
from .rules import Coverage, Ruleset
from .sensitivity import Category, ElementFacts, RiskAssessment, assess
from .types import (
    BUDGETED_EFFECTS,
    MUTATING_EFFECTS,
    PERMISSION_OF,
    Effect,
    EngineKind,
    Mode,
    Permission,
    Risk,
    ThresholdScope,
    Verdict,
    reaches_threshold,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """The effect to decide on.

    ``target`` is the site of the page, or of a navigation's URL; None for a page that is never used (see
    ``hosts.page_site``). ``frame`` is the site of the element's frame, if that is not the page itself. ``url`` is the
    URL of a navigation or download; ``executable_type`` is the file type (``exe``) of an executable download;
    ``local_files`` are the paths of files to upload that are outside the upload folders. These two always require
    approval, and so does a script if ``secret_filled``: a document of the page, or of its site, holds one of the user's
    secrets. ``side_effect_free``: the browser ends the script before its first side effect. ``with_subdomains``: a
    cookie of a domain reaches the names below it, so their rules count too. ``client`` is whose step budget is charged:
    a client can create sessions. ``session_mode`` and ``session_domains`` are the session's own restrictions: they only
    tighten the policy.
    """

    effect: Effect
    target: Site | None
    frame: Site | None = None
    element: ElementFacts | None = None
    url: str = ""
    executable_type: str = ""
    local_files: tuple[str, ...] = ()
    secret_filled: bool = False
    side_effect_free: bool = False
    with_subdomains: bool = False
    engine: EngineKind = "managed"
    client: str = ""
    session_mode: Mode | None = None
    session_domains: tuple[Pattern, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """The verdict and its reason.

    ``about`` is the subject of the approval when the verdict is "ask": using the site at all, or this one action.
    ``charges`` must be reserved before the action is executed.
    """

    verdict: Verdict
    rule: str
    reason: str
    risk: Risk = "low"
    category: Category | None = None
    site: Site | None = None
    about: Literal["site", "action"] | None = None
    charges: tuple[Charge, ...] = ()
    error_type: type[Refused] = DomainDenied
    retry_after_seconds: float | None = None

    def error(self) -> Refused:
        """The error for a denied request: which rule denied it, and how the user changes that rule."""
        return self.error_type(self.reason, suggestions=[rule_advice(self.rule)], metadata={"rule": self.rule})


class Counters(Protocol):
    def check(self, charges: Iterable[Charge], now: float) -> Shortage | None: ...


def decide(request: PolicyRequest, rules: Ruleset, counters: Counters, now: float) -> PolicyDecision:
    if request.target is None:
        return _deny("the built-in rule", "Only http, https and blank pages can be used.", None)
    sites = [
        _AffectedSite(rules.coverage(site), needed) for site, needed in _affected_sites(request, request.target, rules)
    ]
    for affected in sites:
        denied = _check_bounds(request, affected) or _check_rules(request, rules, affected)
        if denied is not None:
            return denied
    charges = tuple(_charges(request, rules, sites))
    shortage = counters.check(charges, now)
    if shortage is not None:
        return _deny_exhausted(shortage, request.target)
    sensitivity = assess(
        request.effect,
        request.element,
        request.url,
        rules.defaults.sensitive,
        executable_type=request.executable_type,
        local_files=request.local_files,
        side_effect_free=request.side_effect_free,
    )
    needed = _site_approval(request, rules, sites) or _action_approval(request, rules, sites, sensitivity)
    basis = needed or _ApprovalNeeded("action", sites[0].permit.rule, "The rules allow it.", request.target)
    return PolicyDecision(
        verdict="allow" if needed is None else "ask",
        rule=basis.rule,
        reason=basis.reason,
        risk="low" if sensitivity is None else sensitivity.risk,
        category=None if sensitivity is None else sensitivity.category,
        site=basis.site,
        about=None if needed is None else needed.about,
        charges=charges,
    )


@dataclass(frozen=True, slots=True)
class _ApprovalNeeded:
    about: Literal["site", "action"]
    rule: str
    reason: str
    site: Site


class _AffectedSite:
    """A site that the effect needs a permission for, with its rules."""

    __slots__ = ("coverage", "permission", "permit", "site")

    def __init__(self, coverage: Coverage, permission: Permission) -> None:
        self.site = coverage.site
        self.coverage = coverage
        self.permission = permission
        self.permit = coverage.permit(permission)


def _affected_sites(request: PolicyRequest, target: Site, rules: Ruleset) -> Iterator[tuple[Site, Permission]]:
    permission = PERMISSION_OF[request.effect]
    yield target, permission
    if request.with_subdomains:
        for site in rules.sites_below(target):
            yield site, permission
    if request.frame is not None and request.frame != target:
        yield request.frame, permission
    if request.element is not None and request.element.submits:
        form_target = page_site(request.element.form_action)
        if form_target is not None and form_target not in (target, request.frame):
            yield form_target, "write"


def _check_bounds(request: PolicyRequest, affected: _AffectedSite) -> PolicyDecision | None:
    kind = address_class(affected.site.host)
    if kind is not None and kind.is_forbidden:
        return _deny(
            "the built-in rule", f"{affected.site} is {kind.description}, which is never opened.", affected.site
        )
    within = request.session_domains
    if within is not None and affected.site.host and not any_covers(within, affected.site):
        listed = ", ".join(str(pattern) for pattern in within) or "none"
        return _deny(SESSION_DOMAINS, f"{affected.site} is not one of the session's domains ({listed}).", affected.site)
    return None


def _check_rules(request: PolicyRequest, rules: Ruleset, affected: _AffectedSite) -> PolicyDecision | None:
    verb = "read" if affected.permission == "read" else "change anything on"
    if affected.permit.verdict == "deny":
        return _deny(
            affected.permit.rule, f"The agent may not {verb} {affected.site}: {affected.permit.rule}.", affected.site
        )
    mode, rule = rules.mode(request.engine, affected.coverage, request.session_mode)
    if mode == "readonly" and request.effect in MUTATING_EFFECTS:
        return _deny(rule, f"The agent may only read {affected.site}: read-only mode is on.", affected.site, ReadOnly)
    return None


def _charges(request: PolicyRequest, rules: Ruleset, sites: list[_AffectedSite]) -> Iterator[Charge]:
    if request.effect not in BUDGETED_EFFECTS:
        return
    if rules.defaults.step_budget is not None:
        yield Charge(client_account(request.client), rules.defaults.step_budget)
    for affected in sites:
        limit = affected.coverage.hourly_limit()
        if limit is not None:
            yield Charge(f"domain {limit.key}", limit.steps, HOUR_SECONDS)


def _site_approval(request: PolicyRequest, rules: Ruleset, sites: list[_AffectedSite]) -> _ApprovalNeeded | None:
    """For a site that no rule covers, or whose rule requires approval to read: one decision covers the site."""
    for affected in sites:
        rule = affected.permit.rule if _asks_to_use(affected) else _rule_for_new_sites(request, rules, affected)
        if rule is not None:
            reason = f"No rule allows the agent to use {affected.site} yet."
            return _ApprovalNeeded("site", rule, reason, affected.site)
    return None


def _asks_to_use(affected: _AffectedSite) -> bool:
    return affected.permit.verdict == "ask" and (affected.permission == "read" or not affected.permit.explicit)


def _rule_for_new_sites(request: PolicyRequest, rules: Ruleset, affected: _AffectedSite) -> str | None:
    """In the user's own Chrome, with their logins, mode "ask" also asks once about each site that no rule covers."""
    if request.engine != "own" or not affected.site.host or is_loopback(affected.site):
        return None
    if affected.permit.explicit or any(not rule.pattern.covers_everything for rule in affected.coverage.rules):
        return None
    mode, rule = rules.mode(request.engine, affected.coverage, request.session_mode)
    return rule if mode == "ask" else None


def _action_approval(
    request: PolicyRequest, rules: Ruleset, sites: list[_AffectedSite], sensitivity: RiskAssessment | None
) -> _ApprovalNeeded | None:
    if request.executable_type and sensitivity is not None:
        return _ApprovalNeeded("action", "the rule for executable files", sensitivity.reason, sites[0].site)
    if request.local_files and sensitivity is not None:
        return _ApprovalNeeded("action", "the rule for local files", sensitivity.reason, sites[0].site)
    if request.secret_filled and request.effect == "script":
        reason = "A secret is filled in this page, and a script can read it."
        return _ApprovalNeeded("action", "the rule for filled secrets", reason, sites[0].site)
    scope = _threshold_scope(request, sites)
    for affected in sites:
        override = affected.coverage.approval_rule()
        required = None if override is None else override.requires_approval
        mutates = request.effect in MUTATING_EFFECTS
        rule: str | None = None
        if affected.permit.verdict == "ask":
            rule = affected.permit.rule
        elif override is not None and required is not None:
            rule = override.label if required and mutates else None
        else:
            mode, mode_rule = rules.mode(request.engine, affected.coverage, request.session_mode)
            threshold = (override.ask_from if override is not None else None) or rules.defaults.ask_from[scope]
            if sensitivity is not None and reaches_threshold(sensitivity.risk, threshold):
                rule = override.label if override is not None else f'policy.ask_from.{scope} = "{threshold}"'
            elif mutates and mode == "ask":
                rule = mode_rule
        if rule is not None:
            reason = sensitivity.reason if sensitivity is not None else f"This changes something on {affected.site}."
            return _ApprovalNeeded("action", rule, reason, affected.site)
    return None


def _threshold_scope(request: PolicyRequest, sites: list[_AffectedSite]) -> ThresholdScope:
    return "loopback" if all(is_loopback(affected.site) for affected in sites) else request.engine


def _deny(rule: str, reason: str, site: Site | None, refusal: type[Refused] = DomainDenied) -> PolicyDecision:
    return PolicyDecision(verdict="deny", rule=rule, reason=reason, site=site, error_type=refusal)


def _deny_exhausted(shortage: Shortage, site: Site) -> PolicyDecision:
    limit, wait = shortage.charge.limit, shortage.retry_after_seconds
    if shortage.charge.window_seconds is None:
        rule, reason = "policy.step_budget", f"The budget of {limit} steps for this client is used up."
    else:
        rule = f"max_steps_per_hour for {shortage.charge.key.removeprefix('domain ')}"
        when = "" if wait is None else f" The next step is available in {wait:.0f} s."
        reason = f"The limit of {limit} steps per hour is reached.{when}"
    return PolicyDecision(
        verdict="deny", rule=rule, reason=reason, site=site, error_type=BudgetExhausted, retry_after_seconds=wait
    )
