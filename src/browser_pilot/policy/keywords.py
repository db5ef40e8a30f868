"""Keywords on buttons, links and fields that show what they do, in thirty languages: the tables as data.

``sensitive_words/`` has one JSON file per language, with its source. They are read once, when this module is imported;
a decision does no I/O. A file has for every category a list of terms, in their usual spelling:

- ``pay now``: these words in this order, anywhere in a label
- ``оплати*``: a word that begins so
- ``konto*schließen``: both, with at most two words between them
- ``=order``: the whole label, apart from fillers and numbers ("Order", but not "Sort order")
- ``~支付``: inside a word, for languages that do not separate words

``harmless`` terms hide keywords that they contain ("payment methods"). A label that begins with one of ``leads`` ("how
to") or ends with one of ``tails`` is information, up to one of ``conjunctions``. ``generic`` labels ("Continue") mean
what their form or dialog means.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Literal, cast, get_args

ActionCategory = Literal[
    "pay",
    "buy",
    "transfer",
    "sign",
    "delete",
    "change_password",
    "permissions",
    "remove",
    "send",
    "publish",
    "post",
    "subscribe",
    "confirm",
    "sign_out",
    "sign_in",
]
FieldCategory = Literal["card", "password", "one_time_code"]
ACTION_CATEGORIES: tuple[ActionCategory, ...] = get_args(ActionCategory)
FIELD_CATEGORIES: tuple[FieldCategory, ...] = get_args(FieldCategory)
TermKind = Literal["harmless", "leads", "tails", "conjunctions", "fillers", "generic", "amount"]


@dataclass(frozen=True, slots=True)
class Language:
    """The tables of one language. ``amount`` are names of fields for an amount of money."""

    code: str
    source: str
    actions: Mapping[ActionCategory, tuple[str, ...]]
    fields: Mapping[FieldCategory, tuple[str, ...]]
    others: Mapping[TermKind, tuple[str, ...]]


def _load() -> tuple[Language, ...]:
    folder = resources.files("browser_pilot.policy") / "sensitive_words"
    files = (file for part in folder.iterdir() for file in part.iterdir() if file.name.endswith(".json"))
    return tuple(_language(json.loads(file.read_text("utf-8"))) for file in sorted(files, key=lambda file: file.name))


def _language(table: dict[str, object]) -> Language:
    actions = cast("dict[ActionCategory, list[str]]", table["actions"])
    fields = cast("dict[FieldCategory | Literal['amount'], list[str]]", table["fields"])
    others: dict[TermKind, tuple[str, ...]] = {
        kind: tuple(cast("list[str]", table[kind])) for kind in get_args(TermKind) if kind != "amount"
    }
    others["amount"] = tuple(fields["amount"])
    return Language(
        str(table["language"]),
        str(table["source"]),
        {category: tuple(actions.get(category, ())) for category in ACTION_CATEGORIES},
        {category: tuple(fields[category]) for category in FIELD_CATEGORIES},
        others,
    )


LANGUAGES = _load()
