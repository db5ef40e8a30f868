"""Who can change the rule that denied something, as advice for an agent. Pure."""

from __future__ import annotations

SESSION_DOMAINS = "the session's domains"


def rule_advice(rule: str) -> str:
    """``rule`` is named as in a decision."""
    if rule == SESSION_DOMAINS:
        return (
            "They were given when the session was created (`allowed_domains`) and do not change; "
            "for other sites use or create another session: browser_session."
        )
    return f"Only the user can change {rule}; `browser-pilot policy show` lists the rules in force."
