"""The policy as rules of `declarativeNetRequest`, for the requests of driven tabs in the user's browser. Pure.

Where a page may go and what it may load are two questions. A site that is denied is neither opened nor loaded from. A
site that must be asked about may be opened, because the gateway asks before an agent does so, but other pages may not
load from it, because nobody can be asked in the middle of that. Narrower patterns go before wider ones, by priority.
Addresses that are never reached come before all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..policy.patterns import Pattern
from ..policy.rules import Ruleset
from .wire import Json

FRAMES = ("main_frame", "sub_frame")
PARTS = (
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
NEVER_PRIORITY = 1_000
MOST_RULES = 900
# Link-local and cloud metadata, by address and by name; what a name resolves to is not known here.
NEVER = (
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


def session_rules(ruleset: Ruleset) -> list[Json]:
    """The rules, without the tabs that they hold for: the extension knows those."""
    made = [*_never(), *_written(ruleset), *_default(ruleset)]
    return [{"id": number, **rule} for number, rule in enumerate(made[:MOST_RULES], start=1)]


def _never() -> Iterator[Json]:
    for host in NEVER:
        yield _rule(f"^[a-z]+://{_USER}{host}\\.?(:\\d+)?/", FRAMES + PARTS, NEVER_PRIORITY, allow=False)


def _written(ruleset: Ruleset) -> Iterator[Json]:
    subresources = ruleset.defaults.subresources
    patterns = {rule.pattern: None for rule in ruleset.rules}
    patterns |= dict.fromkeys((*subresources.deny, *subresources.allow))
    for pattern in patterns:
        if pattern.is_everything and pattern.port is None:
            continue
        verdicts = [rule.read for rule in ruleset.rules if rule.pattern == pattern and rule.read is not None]
        verdict = "deny" if "deny" in verdicts else verdicts[-1] if verdicts else None
        if verdict is not None:
            yield _for_pattern(pattern, FRAMES, allow=verdict != "deny")
        if pattern in subresources.deny or pattern in subresources.allow:
            yield _for_pattern(pattern, PARTS, allow=pattern not in subresources.deny)
        elif verdict is not None:
            yield _for_pattern(pattern, PARTS, allow=verdict == "allow")


def _default(ruleset: Ruleset) -> Iterator[Json]:
    """What holds where no pattern speaks: only what is refused needs a rule."""
    wide = [rule.read for rule in ruleset.rules if rule.pattern == Pattern("", wildcard=True) and rule.read is not None]
    verdict = "deny" if "deny" in wide else wide[-1] if wide else ruleset.defaults.uncovered
    uncovered = ruleset.defaults.subresources.uncovered
    if verdict == "deny":
        yield _rule("^(https?|wss?)://", FRAMES, 1, allow=False)
    loads = verdict == "allow" if wide or uncovered == "rules" else uncovered == "allow"
    if not loads:
        yield _rule("^(https?|wss?)://", PARTS, 1, allow=False)


def _for_pattern(pattern: Pattern, types: Iterable[str], *, allow: bool) -> Json:
    return _rule(_regex(pattern), types, _priority(pattern), allow=allow)


def _regex(pattern: Pattern) -> str:
    host = re.escape(pattern.host).replace("/", r"\/")
    if pattern.is_everything:
        host = "[^/?#@]+?"
    elif pattern.wildcard:
        host = rf"([^/?#@:]+\.)?{host}"
    scheme, port = "[a-z]+", r"(:\d+)?"
    if pattern.port is not None:
        scheme, port = _ENCRYPTED.get(pattern.port, scheme), f":{pattern.port}"
        port = "" if pattern.port in _ENCRYPTED else port
    return rf"^{scheme}://{_USER}{host}\.?{port}/"


def _priority(pattern: Pattern) -> int:
    labels = 0 if pattern.is_everything else pattern.host.count(".") + 1
    width = 100 + labels if not pattern.wildcard else labels
    return 2 * width + (1 if pattern.port is not None else 0) + 2


def _rule(regex: str, types: Iterable[str], priority: int, *, allow: bool) -> Json:
    return {
        "priority": priority,
        "action": {"type": "allow" if allow else "block"},
        "condition": {"regexFilter": regex, "resourceTypes": list(types), "isUrlFilterCaseSensitive": False},
    }
