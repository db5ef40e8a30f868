"""The rules by which ``browser.capturePage`` extracts parts of a page, so that guests need not parse its HTML. Pure.

A rule is a selector (the text of the first match, ``null`` without one), ``css@attribute``, ``@attribute`` of the
element itself, a list ``[selector]`` or ``[selector, rule]`` of all matches, or an object of rules. Within a list,
rules apply to each match.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

MAX_RULES = 200
MAX_DEPTH = 5
MAX_SELECTOR_LENGTH = 1_000


def require_rule(rule: object) -> None:
    """Raises ``ValueError`` with what is wrong."""
    _require(rule, MAX_DEPTH, [MAX_RULES])


def _require(rule: object, depth: int, left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(f"at most {MAX_RULES} rules")
    if depth < 0:
        raise ValueError(f"rules can be nested {MAX_DEPTH} levels deep")
    if isinstance(rule, str):
        _require_selector(rule)
    elif isinstance(rule, list):
        selector, inner = _list_rule(cast("list[object]", rule))
        _require_selector(selector)
        if inner is not None:
            _require(inner, depth - 1, left)
    elif isinstance(rule, Mapping):
        for inner in cast("Mapping[object, object]", rule).values():
            _require(inner, depth - 1, left)
    else:
        raise ValueError("a rule is a selector, a list of a selector and a rule, or an object of rules")


def _list_rule(rule: list[object]) -> tuple[object, object]:
    if not 1 <= len(rule) <= 2:
        raise ValueError('a list has a selector and, at most, the rule of its items, such as ["tr", {"name": "td"}]')
    return rule[0], rule[1] if len(rule) == 2 else None


def _require_selector(selector: object) -> None:
    if not isinstance(selector, str) or not 1 <= len(selector.strip()) <= MAX_SELECTOR_LENGTH:
        raise ValueError(f"a selector has 1 to {MAX_SELECTOR_LENGTH} characters")
