"""Approval decisions that are valid for a session. In memory only.

A "once" is never stored: it belongs to the call that requested it, is compared with the page when the action is
executed, and ends with the call. So a restart can neither reuse nor apply it. "Always" and "block" are rules, written
to disk before the decision is reported. Grants end with their session, or when a person revokes them (Stop).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
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
        # By session, the id of the approval that each grant came from.
        self._actions: defaultdict[str, dict[_GrantKey, str]] = defaultdict(dict)
        self._sites: dict[str, _SessionRules] = {}

    def grant_action(self, request: ApprovalRequest, approval_id: str) -> None:
        """Allow the same effect on the same site, for the same element or plan, without further approval."""
        self._actions[request.session][_grant_key(request)] = approval_id

    def approval_for(self, request: ApprovalRequest) -> str | None:
        """The id of the approval that covers the request. None if there is none, and for an action of high risk: its
        risk may have changed since.
        """
        if not request.scope or request.about != "action" or request.risk == "high":
            return None
        return self._actions.get(request.session, {}).get(_grant_key(request))

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

    def revoke(self, sessions: Iterable[str]) -> None:
        """End everything that was allowed for these sessions. What was denied stays denied."""
        for session in sessions:
            self._actions.pop(session, None)
            stored = self._sites.get(session)
            if stored is not None:
                self._store(session, tuple(rule for rule in stored.decided if rule.read == "deny"), stored.base)

    def _store(self, session: str, decided: tuple[Rule, ...], base: Ruleset) -> _SessionRules:
        stored = self._sites[session] = _SessionRules(decided, base, base.with_rules(decided))
        return stored


def _grant_key(request: ApprovalRequest) -> _GrantKey:
    return (request.effect, request.site, request.scope)
