"""Compiles the policy settings into rules.

Patterns are validated here: an invalid one is reported with its key when the settings are read, not when a page opens.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from browser_pilot.errors import SettingsError
from browser_pilot.policy.patterns import Pattern, PatternError, parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset, Subresources
from browser_pilot.policy.sensitivity import SensitivePatterns
from browser_pilot.policy.text_matching import UnsafePattern
from browser_pilot.policy.types import Verdict

if TYPE_CHECKING:
    from .settings import DomainSettings, PolicySettings


def compile_policy(settings: PolicySettings) -> Ruleset:
    """The rules that these settings define. Raises ``SettingsError`` with the key of an invalid value."""
    return Ruleset(
        [_rule(text, domain) for text, domain in settings.domains.items()],
        Defaults(
            # Read-only applies to the user's own browser too, whatever its own mode.
            modes={
                "managed": settings.mode,
                "own": "readonly" if settings.mode == "readonly" else settings.own_mode,
            },
            uncovered=settings.uncovered,
            ask_from={
                "own": settings.ask_from.own,
                "managed": settings.ask_from.managed,
                "loopback": settings.ask_from.loopback,
            },
            step_budget=settings.step_budget,
            sensitive=_sensitive(settings.sensitive_patterns),
            subresources=Subresources(
                allow=frozenset(parse_domains("policy.subresources.allow", settings.subresources.allow)),
                deny=frozenset(parse_domains("policy.subresources.deny", settings.subresources.deny)),
                uncovered=settings.subresources.uncovered,
            ),
        ),
    )


def parse_domains(key: str, texts: Iterable[str]) -> tuple[Pattern, ...]:
    """Parse the patterns under ``key``, a setting or a session's ``allowed_domains``."""
    try:
        return tuple(parse_pattern(text) for text in texts)
    except PatternError as error:
        raise SettingsError(f"{key}: {error}.", suggestions=["Correct the pattern and try again."]) from None


def _rule(text: str, domain: DomainSettings) -> Rule:
    (pattern,) = parse_domains("policy.domains", [text])
    return Rule(
        pattern=pattern,
        read=_verdict(domain.read),
        write=_verdict(domain.write),
        requires_approval=domain.requires_approval,
        ask_from=domain.ask_from,
        max_steps_per_hour=domain.max_steps_per_hour,
        mode=domain.mode,
    )


def _verdict(value: bool | Literal["ask"] | None) -> Verdict | None:
    if isinstance(value, bool):
        return "allow" if value else "deny"
    return value


def _sensitive(texts: Iterable[str]) -> SensitivePatterns:
    try:
        return SensitivePatterns(texts)
    except UnsafePattern as error:
        raise SettingsError(
            f"policy.sensitive_patterns: {error}.", suggestions=["Words and alternatives (pay|buy) are enough."]
        ) from None
