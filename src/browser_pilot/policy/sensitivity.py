"""How much an action matters, from what is known of the element and the address: a category, a risk, and why.

It judges what would happen, not whether it may: ``decide`` weighs that against the rules. It can be wrong both ways (a
page may call its "pay" button "next"), so it adds questions and never removes a rule's "no".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ada_url import URL

from .vocabulary import THRESHOLDS, Effect, Risk
from .wording import LABEL_CHARACTERS, PATTERNS, Matcher, UnsafePattern, compile_pattern, fold, fold_identifier
from .words import ACTIONS, FIELDS, PATH_SEGMENTS, Action, Field

Category = Literal[Action, Field, "upload", "script", "cookies", "download", "run", "pattern"]

RISKS: dict[Category, Risk] = {
    "pay": "high",
    "buy": "high",
    "transfer": "high",
    "delete": "high",
    "pattern": "high",
    "run": "high",
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
    "script": "medium",
    "cookies": "medium",
    "sign_out": "low",
    "download": "low",
}
DOES: dict[Category, str] = {
    "pay": "may pay for something",
    "buy": "may buy or order something",
    "transfer": "may transfer money or ownership",
    "delete": "may delete something for good",
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
    "upload": "sends a file of this machine to the site",
    "script": "runs a script in the page",
    "cookies": "reads or changes cookies, which can act as the user",
    "sign_out": "may sign out",
    "download": "saves a file on this machine",
    "run": "saves a file that can run on this machine",
}
# Choosing or filling these does nothing yet; the button that follows does.
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
_FILLED_ROLES = frozenset({"", "textbox", "searchbox", "combobox", "spinbutton"})
# A link with more words than this is a headline, not a command.
_COMMAND_WORDS = 8
_BY_EFFECT: dict[Effect, Category] = {
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
    """What the page says of the element to act on.

    ``submits`` when the action sends its form (a submit button, or Enter in a field); ``submit_name`` is then the
    label of the form's button where it is not the element itself. ``form_fields`` are the fields of the element's form.
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
class Sensitivity:
    category: Category
    risk: Risk
    reason: str


class SensitivePatterns:
    """The user's own regular expressions, checked on construction. Raises ``UnsafePattern`` naming the pattern."""

    __slots__ = ("_compiled",)

    def __init__(self, texts: Iterable[str] = ()) -> None:
        texts = tuple(texts)
        if len(texts) > PATTERNS:
            raise UnsafePattern(f"at most {PATTERNS} patterns can be given")
        compiled: list[re.Pattern[str]] = []
        for text in texts:
            try:
                compiled.append(compile_pattern(text))
            except UnsafePattern as error:
                raise UnsafePattern(f"{text!r}: {error}") from None
        self._compiled = tuple(compiled)

    def found_in(self, texts: Iterable[str]) -> bool:
        if not self._compiled:
            return False
        cut = [text[:LABEL_CHARACTERS] for text in texts if text]
        return any(pattern.search(text) for pattern in self._compiled for text in cut)


def assess(
    effect: Effect, element: ElementFacts | None, url: str, patterns: SensitivePatterns, *, runs: str = ""
) -> Sensitivity | None:
    """The gravest thing this action may do; None when nothing stands out.

    ``url`` is where a navigation leads. ``runs`` is the kind of a file that can run, where one is to be saved.
    """
    if effect in ("read", "capture"):
        return None
    found: list[Sensitivity] = []
    if runs:
        found.append(Sensitivity("run", RISKS["run"], f"This {DOES['run']} (.{runs})."))
    if effect in _BY_EFFECT:
        category = _BY_EFFECT[effect]
        found.append(Sensitivity(category, RISKS[category], f"This {DOES[category]}."))
    if effect == "navigate":
        category = _by_path(url)
        if category is not None:
            # Most addresses like this only show a page; opening one is not yet doing it.
            risk: Risk = "low" if RISKS[category] == "low" else "medium"
            found.append(Sensitivity(category, risk, f"The address {DOES[category]}."))
    if element is not None:
        found.extend(_by_element(element))
    texts = (
        (url,) if element is None else (url, element.name, element.submit_name, element.field.name, element.form_action)
    )
    if patterns.found_in(texts):
        found.append(Sensitivity("pattern", RISKS["pattern"], f"This {DOES['pattern']}."))
    return max(found, key=lambda one: THRESHOLDS.index(one.risk), default=None)


def _by_element(element: ElementFacts) -> Iterable[Sensitivity]:
    shown = element.name[:LABEL_CHARACTERS]
    if element.role in _FILLED_ROLES:
        field = _field_category(element.field, fold(element.name))
        if field is not None:
            yield Sensitivity(field, RISKS[field], f'The field "{shown}" {DOES[field]}.')
    labels = [(element.submit_name, "button")] if element.submits else []
    if element.role not in _PASSIVE_ROLES:
        labels.append((element.name, element.role or "element"))
    for label, kind in labels:
        action = _by_label(label, is_link=kind == "link")
        if action is not None:
            yield Sensitivity(action, RISKS[action], f'The {kind} "{label[:LABEL_CHARACTERS]}" {DOES[action]}.')
    if element.submits:
        action = _by_form(element)
        if action is not None:
            yield Sensitivity(action, RISKS[action], f"The form {DOES[action]}.")


def _by_label(label: str, *, is_link: bool) -> Action | None:
    folded = fold(label)
    if is_link and folded.count(" ") >= _COMMAND_WORDS:
        return None
    return next((action for action, matcher in _ACTIONS.items() if matcher.matches(folded)), None)


def _by_form(element: ElementFacts) -> Action | None:
    fields = [(facts, _field_category(facts, "")) for facts in element.form_fields]
    if any(category == "card" for _, category in fields):
        return "pay"
    passwords = [facts for facts, category in fields if category == "password"]
    if len(passwords) > 1:
        return "change_password"
    if element.form_method.lower() == "post":
        by_path = _by_path(element.form_action)
        if by_path is not None:
            return by_path
    return "sign_in" if passwords else None


def _field_category(facts: FieldFacts, label: str) -> Field | None:
    tokens = facts.autocomplete.lower().split()
    if any(token.startswith("cc-") for token in tokens):
        return "card"
    if "one-time-code" in tokens:
        return "one_time_code"
    if facts.type.lower() == "password" or any(token.endswith("-password") for token in tokens):
        return "password"
    names = [name for name in (fold_identifier(facts.name), label) if name]
    return next((field for field, matcher in _FIELDS.items() if any(matcher.matches(name) for name in names)), None)


def _by_path(url: str) -> Action | None:
    try:
        path = URL(url).pathname
    except ValueError:
        return None
    segments = [segment.rsplit(".", 1)[0] for segment in path.lower().replace("_", "-").split("/")]
    return next((action for action, names in _SEGMENTS.items() if not names.isdisjoint(segments)), None)


_ACTIONS: dict[Action, Matcher] = {action: Matcher(words) for action, words in ACTIONS.items()}
_FIELDS: dict[Field, Matcher] = {field: Matcher(words) for field, words in FIELDS.items()}
_SEGMENTS: dict[Action, frozenset[str]] = {
    action: frozenset(names.split("|")) for action, names in PATH_SEGMENTS.items()
}
