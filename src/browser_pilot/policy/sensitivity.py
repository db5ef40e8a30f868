"""Assesses the risk of an action from its element and URL: a category, a risk, and a reason.

It says what an action may do, not whether it is permitted: ``decide`` compares the risk with the rules. It can be wrong
both ways (a page may label its "pay" button "next"), so it can add an approval but never override a "deny".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .form_content import NO_FIELD, FieldFacts, FormFacts, form_category, secret_field
from .keywords import ActionCategory, FieldCategory
from .labels import identifier_categories, label_meaning
from .text_folding import MAX_LABEL_CHARACTERS
from .text_matching import MAX_PATTERNS, UnsafePattern, compile_pattern
from .types import THRESHOLDS, Effect, Risk
from .url_paths import path_meaning

Category = Literal[
    ActionCategory,
    FieldCategory,
    "other_site",
    "upload",
    "script",
    "cookies",
    "download",
    "run",
    "local_file",
    "pattern",
]

CATEGORY_RISKS: dict[Category, Risk] = {
    "pay": "high",
    "buy": "high",
    "transfer": "high",
    "sign": "high",
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
    "subscribe": "medium",
    "confirm": "medium",
    "sign_in": "medium",
    "other_site": "medium",
    "upload": "medium",
    "cookies": "medium",
    "sign_out": "low",
    "download": "low",
}
CATEGORY_DESCRIPTIONS: dict[Category, str] = {
    "pay": "may pay for something",
    "buy": "may buy or order something",
    "transfer": "may transfer money or ownership",
    "sign": "may sign a contract or a transaction",
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
    "subscribe": "may start a subscription or a membership",
    "confirm": "may confirm something that the page has prepared",
    "sign_in": "may sign in or create an account",
    "other_site": "sends its content to another site",
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
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox", "radio", "tab", "treeitem"}
)
# The same, unless the page acts on the choice at once.
_CHOICE_ROLES = frozenset({"checkbox", "option", "menuitemcheckbox", "menuitemradio"})
_FIELD_ROLES = frozenset({"", "textbox", "searchbox", "combobox", "spinbutton"})
# A link with more words than this is a headline, not a command.
_MAX_COMMAND_WORDS = 8
# With an amount of money, these are a payment: "Send $500".
_PAYING_WITH_AMOUNT: frozenset[ActionCategory] = frozenset({"send", "confirm", "subscribe"})
_EFFECT_CATEGORIES: dict[Effect, Category] = {
    "upload": "upload",
    "script": "script",
    "cookies": "cookies",
    "download": "download",
}


_CATEGORY_ORDER = tuple(CATEGORY_RISKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """What is known of the target element.

    ``name`` is its accessible name; ``texts`` are its other texts: what is visible on it, its title, value, alternative
    text and label. ``choices`` are the options that the action selects. ``acts_at_once``: no submit button follows a
    choice. ``identifiers`` are its id, classes and image names. ``opens`` is the URL of a link, unless it is a place on
    the same page. ``dialog`` is what the dialog around it says.

    ``submits`` when the action submits its form (a submit button, or Enter in a field); ``submit_name`` is then the
    label of the submit button, if that is another element. ``form_fields`` are the fields of the element's form.
    ``origin`` is that of its document.
    """

    role: str = ""
    name: str = ""
    texts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    acts_at_once: bool = False
    identifiers: str = ""
    field: FieldFacts = NO_FIELD
    href: str = ""
    opens: str = ""
    dialog: str = ""
    submits: bool = False
    submit_name: str = ""
    form_action: str = ""
    form_method: str = ""
    form_fields: tuple[FieldFacts, ...] = ()
    origin: str = ""


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
        findings.extend(_url_findings(url, "URL"))
    if element is not None:
        findings.extend(_element_findings(element))
    if patterns.matches_any((url, *_all_texts(element))):
        findings.append(
            RiskAssessment("pattern", CATEGORY_RISKS["pattern"], f"This {CATEGORY_DESCRIPTIONS['pattern']}.")
        )
    return max(findings, key=_severity, default=None)


def _severity(finding: RiskAssessment) -> tuple[int, int]:
    """By risk; among equals the category that comes first in the table."""
    return THRESHOLDS.index(finding.risk), -_CATEGORY_ORDER.index(finding.category)


def _all_texts(element: ElementFacts | None) -> tuple[str, ...]:
    if element is None:
        return ()
    named = (element.name, element.submit_name, element.field.name, element.form_action)
    return (*named, *element.texts, *element.choices)


def _element_findings(element: ElementFacts) -> Iterator[RiskAssessment]:
    if element.role in _FIELD_ROLES:
        field = secret_field(element.field, element.name)
        if field is not None:
            yield _finding(field, f'The field "{_shown(element.name)}"')
    kind = element.role or "element"
    if element.submits:
        yield from _command_findings(element.submit_name, "button", element)
    if element.role in _CHOICE_ROLES and element.acts_at_once:
        yield from _choice_findings((element.name, *element.texts), kind)
    elif element.role not in _PASSIVE_ROLES | _CHOICE_ROLES:
        for text in (element.name, *element.texts):
            yield from _command_findings(text, kind, element)
        yield from _unnamed_findings(element, kind)
    if element.acts_at_once:
        yield from _choice_findings(element.choices, "option")
    # The label says more of a link than a path that is not clear.
    yield from (found for found in _url_findings(element.opens, "link") if found.risk == "high")
    if element.submits:
        yield from _form_findings(element)


def _command_findings(label: str, kind: str, element: ElementFacts) -> Iterator[RiskAssessment]:
    """What pressing a button or link with this label does."""
    meaning = label_meaning(label)
    if kind == "link" and len(label.split()) > _MAX_COMMAND_WORDS:
        return
    for category in meaning.categories:
        yield _finding(category, f'The {kind} "{_shown(label)}"')
    confirms = meaning.is_generic or not meaning.categories.isdisjoint(_PAYING_WITH_AMOUNT)
    if confirms and meaning.has_amount:
        yield _finding("pay", f'The {kind} "{_shown(label)}"')
    if confirms or (meaning.is_empty and label == element.name):
        yield from _dialog_findings(element.dialog)


def _dialog_findings(dialog: str) -> Iterator[RiskAssessment]:
    """What "OK" means in a dialog that asks "Delete account?"."""
    for category in label_meaning(dialog).categories:
        if CATEGORY_RISKS[category] == "high":
            yield _finding(category, f'The dialog "{_shown(dialog)}"')


def _choice_findings(labels: Iterable[str], kind: str) -> Iterator[RiskAssessment]:
    """A choice that acts at once is a command if it is worded like one: it begins with a keyword of high risk."""
    for label in labels:
        for category in label_meaning(label).leading:
            if CATEGORY_RISKS[category] == "high":
                yield _finding(category, f'The {kind} "{_shown(label)}"')


def _unnamed_findings(element: ElementFacts, kind: str) -> Iterator[RiskAssessment]:
    """A button without any text is evaluated by its id, classes and image."""
    if all(label_meaning(text).is_empty for text in (element.name, *element.texts)):
        for category in identifier_categories(element.identifiers):
            yield _finding(category, f'The {kind} without a name, "{_shown(element.identifiers)}",')


def _url_findings(url: str, kind: str) -> Iterator[RiskAssessment]:
    meaning = path_meaning(url)
    if meaning is None:
        return
    risk = CATEGORY_RISKS[meaning.category]
    # Most URLs like this only show a page: opening it does not execute the action.
    if risk == "high" and not meaning.is_clear:
        risk = "medium"
    yield RiskAssessment(meaning.category, risk, f"The {kind} {CATEGORY_DESCRIPTIONS[meaning.category]}.")


def _form_findings(element: ElementFacts) -> Iterator[RiskAssessment]:
    label = label_meaning(element.submit_name or element.name)
    form = FormFacts(
        element.form_action,
        element.form_method.lower() == "post",
        element.form_fields,
        element.origin,
        is_unnamed=label.is_empty or label.is_generic or not label.categories.isdisjoint(_PAYING_WITH_AMOUNT),
    )
    category = form_category(form)
    if category is not None:
        yield _finding(category, "The form")
    if form.goes_to_another_site:
        yield _finding("other_site", "The form")
    if not form.is_post:
        yield from _url_findings(element.form_action, "form")


def _finding(category: Category, subject: str) -> RiskAssessment:
    return RiskAssessment(category, CATEGORY_RISKS[category], f"{subject} {CATEGORY_DESCRIPTIONS[category]}.")


def _shown(text: str) -> str:
    return text[:MAX_LABEL_CHARACTERS]
