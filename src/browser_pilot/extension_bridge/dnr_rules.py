"""Compiles the policy to `declarativeNetRequest` rules for controlled tabs in the user's browser. Pure.

Navigations and subresources are decided separately. A denied site is neither opened nor loaded from. A site with the
verdict "ask" may be opened, because the gateway requests approval before an agent does so; other pages may not load
from it, because no approval is possible during a load. Narrower patterns have a higher priority than wider ones;
addresses that are never reached have the highest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from browser_pilot.json_types import JsonObject
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Ruleset

FRAME_TYPES = ("main_frame", "sub_frame")
SUBRESOURCE_TYPES = (
    "stylesheet",
    "script",
    "image",
    "font",
    "object",
    "xmlhttprequest",
    "ping",
    "csp_report",
    "media",
    "websocket",
    "webtransport",
    "webbundle",
    "other",
)
FORBIDDEN_PRIORITY = 1_000
MAX_RULES = 900
# Link-local and cloud metadata, by address and by name; the address that a name resolves to is not known here.
FORBIDDEN_HOSTS = (
    r"169\.254\.\d+\.\d+",
    r"100\.100\.100\.200",
    r"168\.63\.129\.16",
    r"192\.0\.0\.192",
    r"\[fe[89ab][0-9a-f]:[^\]]*\]",
    r"\[fd00:ec2::254\]",
    r"\[fd20:ce::254\]",
    r"\[::ffff:a9fe:[^\]]*\]",
    r"metadata\.google\.internal",
)
_USER = r"([^/?#@]*@)?"
_ENCRYPTED = {80: "(http|ws)", 443: "(https|wss)"}


def session_rules(ruleset: Ruleset) -> list[JsonObject]:
    """The rules without their tab ids, which the extension adds."""
    rules = [*_never(), *_from_patterns(ruleset), *_default(ruleset)]
    return [{"id": number, **rule} for number, rule in enumerate(rules[:MAX_RULES], start=1)]


def _never() -> Iterator[JsonObject]:
    for host in FORBIDDEN_HOSTS:
        yield _rule(
            f"^[a-z]+://{_USER}{host}\\.?(:\\d+)?/", FRAME_TYPES + SUBRESOURCE_TYPES, FORBIDDEN_PRIORITY, allow=False
        )


def _from_patterns(ruleset: Ruleset) -> Iterator[JsonObject]:
    subresources = ruleset.defaults.subresources
    patterns = {rule.pattern: None for rule in ruleset.rules}
    patterns |= dict.fromkeys((*subresources.deny, *subresources.allow))
    for pattern in patterns:
        if pattern.covers_everything and pattern.port is None:
            continue
        verdicts = [rule.read for rule in ruleset.rules if rule.pattern == pattern and rule.read is not None]
        verdict = "deny" if "deny" in verdicts else verdicts[-1] if verdicts else None
        if verdict is not None:
            yield _for_pattern(pattern, FRAME_TYPES, allow=verdict != "deny")
        if pattern in subresources.deny or pattern in subresources.allow:
            yield _for_pattern(pattern, SUBRESOURCE_TYPES, allow=pattern not in subresources.deny)
        elif verdict is not None:
            yield _for_pattern(pattern, SUBRESOURCE_TYPES, allow=verdict == "allow")


def _default(ruleset: Ruleset) -> Iterator[JsonObject]:
    """Rules for what no pattern matches: only blocked requests need one."""
    wide = [rule.read for rule in ruleset.rules if rule.pattern == Pattern("", wildcard=True) and rule.read is not None]
    verdict = "deny" if "deny" in wide else wide[-1] if wide else ruleset.defaults.uncovered
    uncovered = ruleset.defaults.subresources.uncovered
    if verdict == "deny":
        yield _rule("^(https?|wss?)://", FRAME_TYPES, 1, allow=False)
    loads = verdict == "allow" if wide or uncovered == "rules" else uncovered == "allow"
    if not loads:
        yield _rule("^(https?|wss?)://", SUBRESOURCE_TYPES, 1, allow=False)


def _for_pattern(pattern: Pattern, types: Iterable[str], *, allow: bool) -> JsonObject:
    return _rule(_regex(pattern), types, _priority(pattern), allow=allow)


def _regex(pattern: Pattern) -> str:
    host = re.escape(pattern.host).replace("/", r"\/")
    if pattern.covers_everything:
        host = "[^/?#@]+?"
    elif pattern.wildcard:
        host = rf"([^/?#@:]+\.)?{host}"
    scheme, port = "[a-z]+", r"(:\d+)?"
    if pattern.port is not None:
        scheme, port = _ENCRYPTED.get(pattern.port, scheme), f":{pattern.port}"
        port = "" if pattern.port in _ENCRYPTED else port
    return rf"^{scheme}://{_USER}{host}\.?{port}/"


def _priority(pattern: Pattern) -> int:
    labels = 0 if pattern.covers_everything else pattern.host.count(".") + 1
    width = 100 + labels if not pattern.wildcard else labels
    return 2 * width + (1 if pattern.port is not None else 0) + 2


def _rule(regex: str, types: Iterable[str], priority: int, *, allow: bool) -> JsonObject:
    return {
        "priority": priority,
        "action": {"type": "allow" if allow else "block"},
        "condition": {"regexFilter": regex, "resourceTypes": list(types), "isUrlFilterCaseSensitive": False},
    }
