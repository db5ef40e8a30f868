"""Approval decisions that are valid for a session. In memory only.

A "once" is never stored: it belongs to the call that requested it, is compared with the page when the action is
executed, and ends with the call. So a restart can neither reuse nor apply it. "Always" and "block" are rules, written
to disk before the decision is reported. Grants end with their session.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from browser_pilot.policy.rules import Rule, Ruleset
from browser_pilot.policy.types import Effect

from .models import ApprovalRequest

_GrantKey = tuple[Effect, str, str]


@dataclass(frozen=True, slots=True)
class _SessionRules:
    """Rules from a session's decisions, and ``base`` compiled with them."""

    decided: tuple[Rule, ...]
    base: Ruleset
    compiled: Ruleset


class SessionGrants:
    def __init__(self) -> None:
        self._actions: defaultdict[str, set[_GrantKey]] = defaultdict(set)
        self._sites: dict[str, _SessionRules] = {}

    def grant_action(self, request: ApprovalRequest) -> None:
        """Allow the same effect on the same site, for the same element or plan, without further approval."""
        self._actions[request.session].add(_grant_key(request))

    def covers(self, request: ApprovalRequest) -> bool:
        return bool(request.scope) and _grant_key(request) in self._actions.get(request.session, ())

    def add_site_rule(self, session: str, rule: Rule, base: Ruleset) -> None:
        """Add a decision about a site as a rule for this session. The latest decision on a site counts."""
        stored = self._sites.get(session)
        others = (one for one in (stored.decided if stored else ()) if one.pattern != rule.pattern)
        self._store(session, (*others, rule), base)

    def rules_for(self, session: str, base: Ruleset) -> Ruleset:
        """``base`` with the session's decisions on top.

        A denial is dropped when the user changes the rules: they may have changed their mind.
        """
        stored = self._sites.get(session)
        if stored is None:
            return base
        if stored.base is not base:
            stored = self._store(session, tuple(rule for rule in stored.decided if rule.read != "deny"), base)
        return stored.compiled

    def forget(self, session: str) -> None:
        self._actions.pop(session, None)
        self._sites.pop(session, None)

    def _store(self, session: str, decided: tuple[Rule, ...], base: Ruleset) -> _SessionRules:
        stored = self._sites[session] = _SessionRules(decided, base, base.with_rules(decided))
        return stored


def _grant_key(request: ApprovalRequest) -> _GrantKey:
    return (request.effect, request.site, request.scope)
