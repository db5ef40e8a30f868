"""Assesses the risk of an action from its element and URL: a category, a risk, and a reason.

It says what an action may do, not whether it is permitted: ``decide`` compares the risk with the rules. It can be wrong
both ways (a page may label its "pay" button "next"), so it can add an approval but never override a "deny".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ada_url import URL

from .keywords import ACTION_KEYWORDS, FIELD_KEYWORDS, PATH_SEGMENTS, ActionCategory, FieldCategory
from .text_matching import (
    MAX_LABEL_CHARACTERS,
    MAX_PATTERNS,
    KeywordMatcher,
    UnsafePattern,
    compile_pattern,
    fold,
    fold_identifier,
)
from .types import THRESHOLDS, Effect, Risk

Category = Literal[
    ActionCategory, FieldCategory, "upload", "script", "cookies", "download", "run", "local_file", "pattern"
]

CATEGORY_RISKS: dict[Category, Risk] = {
    "pay": "high",
    "buy": "high",
    "transfer": "high",
    "delete": "high",
    "pattern": "high",
    "run": "high",
    "local_file": "high",
    "script": "high",
    "change_password": "medium",
    "permissions": "medium",
    "card": "medium",
    "password": "medium",
    "one_time_code": "medium",
    "remove": "medium",
    "send": "medium",
    "publish": "medium",
    "post": "medium",
    "sign_in": "medium",
    "upload": "medium",
    "cookies": "medium",
    "sign_out": "low",
    "download": "low",
}
CATEGORY_DESCRIPTIONS: dict[Category, str] = {
    "pay": "may pay for something",
    "buy": "may buy or order something",
    "transfer": "may transfer money or ownership",
    "delete": "may delete something permanently",
    "pattern": "matches one of policy.sensitive_patterns",
    "change_password": "may change how the account is protected",
    "permissions": "may give someone access",
    "card": "holds card or account numbers",
    "password": "holds a password",
    "one_time_code": "holds a one-time code",
    "remove": "may remove or cancel something",
    "send": "may send something to others",
    "publish": "may publish something",
    "post": "may post something for others to see",
    "sign_in": "may sign in or create an account",
    "upload": "sends a file from this machine to the site",
    "script": "runs a script, which can do anything on the page",
    "cookies": "reads or changes cookies, which can act as the user",
    "sign_out": "may sign out",
    "download": "saves a file on this machine",
    "run": "saves an executable file on this machine",
    "local_file": "sends a file from outside the upload folders to the site",
}
# Selecting or filling these has no effect yet; the submit button has.
_PASSIVE_ROLES = frozenset(
    {
        "textbox",
        "searchbox",
        "combobox",
        "spinbutton",
        "slider",
        "listbox",
        "option",
        "checkbox",
        "radio",
        "tab",
        "treeitem",
    }
)
_FIELD_ROLES = frozenset({"", "textbox", "searchbox", "combobox", "spinbutton"})
# A link with more words than this is a headline, not a command.
_MAX_COMMAND_WORDS = 8
_EFFECT_CATEGORIES: dict[Effect, Category] = {
    "upload": "upload",
    "script": "script",
    "cookies": "cookies",
    "download": "download",
}


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A form field: ``type`` and ``autocomplete`` attributes, and its ``name``, ``id`` or label."""

    type: str = ""
    autocomplete: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """What is known of the target element.

    ``submits`` when the action submits its form (a submit button, or Enter in a field); ``submit_name`` is then the
    label of the submit button, if that is another element. ``form_fields`` are the fields of the element's form.
    """

    role: str = ""
    name: str = ""
    field: FieldFacts = FieldFacts()
    href: str = ""
    submits: bool = False
    submit_name: str = ""
    form_action: str = ""
    form_method: str = ""
    form_fields: tuple[FieldFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    category: Category
    risk: Risk
    reason: str


class SensitivePatterns:
    """The user's regular expressions, checked on construction. Raises ``UnsafePattern`` with the pattern."""

    __slots__ = ("_compiled",)

    def __init__(self, texts: Iterable[str] = ()) -> None:
        texts = tuple(texts)
        if len(texts) > MAX_PATTERNS:
            raise UnsafePattern(f"at most {MAX_PATTERNS} patterns are supported")
        compiled: list[re.Pattern[str]] = []
        for text in texts:
            try:
                compiled.append(compile_pattern(text))
            except UnsafePattern as error:
                raise UnsafePattern(f"{text!r}: {error}") from None
        self._compiled = tuple(compiled)

    def matches_any(self, texts: Iterable[str]) -> bool:
        if not self._compiled:
            return False
        truncated = [text[:MAX_LABEL_CHARACTERS] for text in texts if text]
        return any(pattern.search(text) for pattern in self._compiled for text in truncated)


def assess(
    effect: Effect,
    element: ElementFacts | None,
    url: str,
    patterns: SensitivePatterns,
    *,
    executable_type: str = "",
    local_files: tuple[str, ...] = (),
    side_effect_free: bool = False,
) -> RiskAssessment | None:
    """The highest risk of this action; None when it is not sensitive.

    ``url`` is the target of a navigation. ``executable_type`` is the file type of a download that is executable,
    ``local_files`` are the paths of files to upload that are outside the upload folders.
    A ``side_effect_free`` script only reads, but also what no other tool returns: it has medium risk.
    """
    if effect in ("read", "capture"):
        return None
    findings: list[RiskAssessment] = []
    if executable_type:
        findings.append(
            RiskAssessment("run", CATEGORY_RISKS["run"], f"This {CATEGORY_DESCRIPTIONS['run']} (.{executable_type}).")
        )
    if local_files:
        reason = f"This {CATEGORY_DESCRIPTIONS['local_file']}: {', '.join(local_files)}"
        findings.append(RiskAssessment("local_file", CATEGORY_RISKS["local_file"], reason))
    if effect == "script" and side_effect_free:
        findings.append(RiskAssessment("script", "medium", "This runs a script that only reads."))
    elif effect in _EFFECT_CATEGORIES:
        category = _EFFECT_CATEGORIES[effect]
        findings.append(RiskAssessment(category, CATEGORY_RISKS[category], f"This {CATEGORY_DESCRIPTIONS[category]}."))
    if effect == "navigate":
        category = _path_category(url)
        if category is not None:
            # Most URLs like this only show a page: opening it does not execute the action.
            risk: Risk = "low" if CATEGORY_RISKS[category] == "low" else "medium"
            findings.append(RiskAssessment(category, risk, f"The URL {CATEGORY_DESCRIPTIONS[category]}."))
    if element is not None:
        findings.extend(_element_findings(element))
    texts = (
        (url,) if element is None else (url, element.name, element.submit_name, element.field.name, element.form_action)
    )
    if patterns.matches_any(texts):
        findings.append(
            RiskAssessment("pattern", CATEGORY_RISKS["pattern"], f"This {CATEGORY_DESCRIPTIONS['pattern']}.")
        )
    return max(findings, key=lambda finding: THRESHOLDS.index(finding.risk), default=None)


def _element_findings(element: ElementFacts) -> Iterable[RiskAssessment]:
    shown = element.name[:MAX_LABEL_CHARACTERS]
    if element.role in _FIELD_ROLES:
        field = _field_category(element.field, fold(element.name))
        if field is not None:
            yield RiskAssessment(field, CATEGORY_RISKS[field], f'The field "{shown}" {CATEGORY_DESCRIPTIONS[field]}.')
    labels = [(element.submit_name, "button")] if element.submits else []
    if element.role not in _PASSIVE_ROLES:
        labels.append((element.name, element.role or "element"))
    for label, kind in labels:
        action = _label_category(label, is_link=kind == "link")
        if action is not None:
            yield RiskAssessment(
                action,
                CATEGORY_RISKS[action],
                f'The {kind} "{label[:MAX_LABEL_CHARACTERS]}" {CATEGORY_DESCRIPTIONS[action]}.',
            )
    if element.submits:
        action = _form_category(element)
        if action is not None:
            yield RiskAssessment(action, CATEGORY_RISKS[action], f"The form {CATEGORY_DESCRIPTIONS[action]}.")


def _label_category(label: str, *, is_link: bool) -> ActionCategory | None:
    folded = fold(label)
    if is_link and folded.count(" ") >= _MAX_COMMAND_WORDS:
        return None
    return next((action for action, matcher in _ACTION_MATCHERS.items() if matcher.matches(folded)), None)


def _form_category(element: ElementFacts) -> ActionCategory | None:
    fields = [(facts, _field_category(facts, "")) for facts in element.form_fields]
    if any(category == "card" for _, category in fields):
        return "pay"
    passwords = [facts for facts, category in fields if category == "password"]
    if len(passwords) > 1:
        return "change_password"
    if element.form_method.lower() == "post":
        category = _path_category(element.form_action)
        if category is not None:
            return category
    return "sign_in" if passwords else None


def _field_category(facts: FieldFacts, label: str) -> FieldCategory | None:
    tokens = facts.autocomplete.lower().split()
    if any(token.startswith("cc-") for token in tokens):
        return "card"
    if "one-time-code" in tokens:
        return "one_time_code"
    if facts.type.lower() == "password" or any(token.endswith("-password") for token in tokens):
        return "password"
    names = [name for name in (fold_identifier(facts.name), label) if name]
    return next(
        (field for field, matcher in _FIELD_MATCHERS.items() if any(matcher.matches(name) for name in names)), None
    )


def _path_category(url: str) -> ActionCategory | None:
    try:
        path = URL(url).pathname
    except ValueError:
        return None
    segments = [segment.rsplit(".", 1)[0] for segment in path.lower().replace("_", "-").split("/")]
    return next((action for action, names in _PATH_SEGMENTS.items() if not names.isdisjoint(segments)), None)


_ACTION_MATCHERS: dict[ActionCategory, KeywordMatcher] = {
    action: KeywordMatcher(words) for action, words in ACTION_KEYWORDS.items()
}
_FIELD_MATCHERS: dict[FieldCategory, KeywordMatcher] = {
    field: KeywordMatcher(words) for field, words in FIELD_KEYWORDS.items()
}
_PATH_SEGMENTS: dict[ActionCategory, frozenset[str]] = {
    action: frozenset(names.split("|")) for action, names in PATH_SEGMENTS.items()
}
