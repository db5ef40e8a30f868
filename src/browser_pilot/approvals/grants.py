"""What answers are good for within a session. In memory only, and that is enough.

A "once" is never kept here: it lives in the call that asked, is compared with what the page shows at the moment of
acting, and ends with the call. So a restart can neither use it again nor honour it late. "Always" and "block" are
rules, on disk before anyone is told of the answer. What is kept here ends with its session, as the words say.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..policy.rules import Rule, Ruleset
from ..policy.vocabulary import Effect
from .questions import Matter

Covered = tuple[Effect, str, str]


@dataclass(frozen=True, slots=True)
class _Sites:
    """The rules that were answered in a session, and the rules in force with them on top."""

    answered: tuple[Rule, ...]
    base: Ruleset
    compiled: Ruleset


class SessionGrants:
    def __init__(self) -> None:
        self._actions: defaultdict[str, set[Covered]] = defaultdict(set)
        self._sites: dict[str, _Sites] = {}

    def keep_action(self, matter: Matter) -> None:
        """The same effect, on the same site, on the same element or for the same plan, needs no further question."""
        self._actions[matter.session].add(_covered(matter))

    def covers(self, matter: Matter) -> bool:
        return bool(matter.scope) and _covered(matter) in self._actions.get(matter.session, ())

    def keep_rule(self, session: str, rule: Rule, base: Ruleset) -> None:
        """What was answered about a site, as a rule for this session. The last word on a site holds."""
        kept = self._sites.get(session)
        others = (one for one in (kept.answered if kept else ()) if one.pattern != rule.pattern)
        self._put(session, (*others, rule), base)

    def rules_for(self, session: str, base: Ruleset) -> Ruleset:
        """The rules in force, with what was answered in the session on top.

        A "no" is kept until the user changes the rules: then they may have changed their mind.
        """
        kept = self._sites.get(session)
        if kept is None:
            return base
        if kept.base is not base:
            kept = self._put(session, tuple(rule for rule in kept.answered if rule.read != "deny"), base)
        return kept.compiled

    def forget(self, session: str) -> None:
        self._actions.pop(session, None)
        self._sites.pop(session, None)

    def _put(self, session: str, answered: tuple[Rule, ...], base: Ruleset) -> _Sites:
        kept = self._sites[session] = _Sites(answered, base, base.with_rules(answered))
        return kept


def _covered(matter: Matter) -> Covered:
    return (matter.effect, matter.site, matter.scope)
