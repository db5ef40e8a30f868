"""The decision: may this effect happen here, must a person be asked, or is it refused?

A pure function of the request, the rules, the counters and the time. The order, in which the first "no" ends it: pages
and addresses that are never touched; the session's own domains; the rules of every site concerned (the page, the frame
of the element, the target of its form), of which the strictest holds; read-only mode; budgets. What is left may have to
be asked for: first the site, when it is new, then the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from ..errors import BudgetExhausted, DomainDenied, ReadOnly, Refused
from .budgets import HOUR_SECONDS, Charge, Shortage
from .hosts import Site, address_class, is_loopback, page_site
from .patterns import Pattern, any_covers
from .rules import Coverage, Ruleset
from .sensitivity import Category, ElementFacts, Sensitivity, assess
from .vocabulary import ACTS, PERMISSION_OF, STEPS, Effect, Engine, Mode, Permission, Risk, Stake, Verdict, reaches


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is about to happen.

    ``target`` is the site of the page, or where a navigation leads; None for a page that is never touched (see
    ``hosts.page_site``). ``frame`` is the site of the frame that holds the element, where it is not the page itself.
    ``url`` is the whole address of a navigation or download; ``runs`` is the kind of the file (``exe``) when it is one
    that can run, which is always asked about. ``session_mode`` and ``session_domains`` are what the session was created
    with: they only ever tighten.
    """

    effect: Effect
    target: Site | None
    frame: Site | None = None
    element: ElementFacts | None = None
    url: str = ""
    runs: str = ""
    engine: Engine = "managed"
    session: str = ""
    session_mode: Mode | None = None
    session_domains: tuple[Pattern, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict and why.

    ``about`` says what to ask when the verdict is "ask": whether the site may be used at all, an answer that holds for
    all that comes, or this one action. ``charges`` are to be reserved before acting.
    """

    verdict: Verdict
    rule: str
    reason: str
    risk: Risk = "low"
    category: Category | None = None
    site: Site | None = None
    about: Literal["site", "action"] | None = None
    charges: tuple[Charge, ...] = ()
    refusal: type[Refused] = DomainDenied
    retry_after_seconds: float | None = None

    def error(self) -> Refused:
        """The error for a denied request: which rule, and how its user changes it."""
        suggestion = f"Only the user can change {self.rule}; `browser-pilot policy show` lists the rules in force."
        return self.refusal(self.reason, suggestions=[suggestion], metadata={"rule": self.rule})


class Counters(Protocol):
    def check(self, charges: Iterable[Charge], now: float) -> Shortage | None: ...


def decide(request: Request, rules: Ruleset, counters: Counters, now: float) -> Decision:
    if request.target is None:
        return _denied("the built-in rule", "Only http, https and blank pages can be used.", None)
    places = [_Place(rules.coverage(site), permission) for site, permission in _concerned(request, request.target)]
    for place in places:
        refused = _out_of_bounds(request, place) or _forbidden(request, rules, place)
        if refused is not None:
            return refused
    charges = tuple(_charges(request, rules, places))
    shortage = counters.check(charges, now)
    if shortage is not None:
        return _exhausted(shortage, request.target)
    sensitivity = assess(request.effect, request.element, request.url, rules.defaults.sensitive, runs=request.runs)
    question = _about_site(places) or _about_action(request, rules, places, sensitivity)
    allowed = Question("action", places[0].permit.rule, "The rules allow it.", request.target)
    found = question or allowed
    return Decision(
        verdict="allow" if question is None else "ask",
        rule=found.rule,
        reason=found.reason,
        risk="low" if sensitivity is None else sensitivity.risk,
        category=None if sensitivity is None else sensitivity.category,
        site=found.site,
        about=None if question is None else question.about,
        charges=charges,
    )


@dataclass(frozen=True, slots=True)
class Question:
    about: Literal["site", "action"]
    rule: str
    reason: str
    site: Site


class _Place:
    """One of the sites that an effect touches, with what the rules say of it."""

    __slots__ = ("coverage", "permission", "permit", "site")

    def __init__(self, coverage: Coverage, permission: Permission) -> None:
        self.site = coverage.site
        self.coverage = coverage
        self.permission = permission
        self.permit = coverage.permit(permission)


def _concerned(request: Request, target: Site) -> Iterator[tuple[Site, Permission]]:
    permission = PERMISSION_OF[request.effect]
    yield target, permission
    if request.frame is not None and request.frame != target:
        yield request.frame, permission
    if request.element is not None and request.element.submits:
        receiver = page_site(request.element.form_action)
        if receiver is not None and receiver not in (target, request.frame):
            yield receiver, "write"


def _out_of_bounds(request: Request, place: _Place) -> Decision | None:
    kind = address_class(place.site.host)
    if kind is not None and kind.is_forbidden:
        return _denied("the built-in rule", f"{place.site} is {kind.described}, which is never opened.", place.site)
    within = request.session_domains
    if within is not None and place.site.host and not any_covers(within, place.site):
        listed = ", ".join(str(pattern) for pattern in within) or "none"
        return _denied(
            "the session's domains", f"{place.site} is not one of the session's domains ({listed}).", place.site
        )
    return None


def _forbidden(request: Request, rules: Ruleset, place: _Place) -> Decision | None:
    verb = "read" if place.permission == "read" else "change anything on"
    if place.permit.verdict == "deny":
        return _denied(place.permit.rule, f"The agent may not {verb} {place.site}: {place.permit.rule}.", place.site)
    mode, rule = rules.mode(request.engine, place.coverage, request.session_mode)
    if mode == "readonly" and request.effect in ACTS:
        return _denied(rule, f"The agent may only look at {place.site}: read-only mode is on.", place.site, ReadOnly)
    return None


def _charges(request: Request, rules: Ruleset, places: list[_Place]) -> Iterator[Charge]:
    if request.effect not in STEPS:
        return
    if rules.defaults.step_budget is not None:
        yield Charge(f"session {request.session}", rules.defaults.step_budget)
    for place in places:
        limit = place.coverage.hourly_limit()
        if limit is not None:
            yield Charge(f"domain {limit.key}", limit.steps, HOUR_SECONDS)


def _about_site(places: list[_Place]) -> Question | None:
    """A site that is new, or that a rule lets be read only when a person agrees: one answer settles it."""
    for place in places:
        if place.permit.verdict == "ask" and (place.permission == "read" or not place.permit.explicit):
            reason = f"The agent wants to use {place.site}, which no rule allows yet."
            return Question("site", place.permit.rule, reason, place.site)
    return None


def _about_action(
    request: Request, rules: Ruleset, places: list[_Place], sensitivity: Sensitivity | None
) -> Question | None:
    if request.runs and sensitivity is not None:
        return Question("action", "the rule on files that can run", sensitivity.reason, places[0].site)
    stake = _stake(request, places)
    for place in places:
        asking = place.coverage.asking()
        approval = None if asking is None else asking.requires_approval
        acts = request.effect in ACTS
        rule: str | None = None
        if place.permit.verdict == "ask":
            rule = place.permit.rule
        elif asking is not None and approval is not None:
            rule = asking.label if approval and acts else None
        else:
            mode, mode_rule = rules.mode(request.engine, place.coverage, request.session_mode)
            threshold = (asking.ask_from if asking is not None else None) or rules.defaults.ask_from[stake]
            if sensitivity is not None and reaches(sensitivity.risk, threshold):
                rule = asking.label if asking is not None else f'policy.ask_from.{stake} = "{threshold}"'
            elif acts and mode == "ask":
                rule = mode_rule
        if rule is not None:
            reason = sensitivity.reason if sensitivity is not None else f"This changes something on {place.site}."
            return Question("action", rule, reason, place.site)
    return None


def _stake(request: Request, places: list[_Place]) -> Stake:
    return "loopback" if all(is_loopback(place.site) for place in places) else request.engine


def _denied(rule: str, reason: str, site: Site | None, refusal: type[Refused] = DomainDenied) -> Decision:
    return Decision(verdict="deny", rule=rule, reason=reason, site=site, refusal=refusal)


def _exhausted(shortage: Shortage, site: Site) -> Decision:
    limit, wait = shortage.charge.limit, shortage.retry_after_seconds
    if shortage.charge.window_seconds is None:
        rule, reason = "policy.step_budget", f"The session has used up its budget of {limit} steps."
    else:
        rule = f"max_steps_per_hour for {shortage.charge.key.removeprefix('domain ')}"
        when = "" if wait is None else f" The next one is free in {wait:.0f} s."
        reason = f"The limit of {limit} steps an hour is reached.{when}"
    return Decision(
        verdict="deny", rule=rule, reason=reason, site=site, refusal=BudgetExhausted, retry_after_seconds=wait
    )
