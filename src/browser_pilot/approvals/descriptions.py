"""A call in plain words, for the person who is asked about it. Pure.

What comes from pages and agents is made ``plain`` before a person sees it: it must not be able to move the cursor of a
terminal, start a line that looks like ours, or turn the direction of reading.

Says "Click button “Pay now”" where the arguments name the element so; whoever knows the element better (its name on the
page) passes that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import cast

VERBS: dict[str, str] = {
    "click": "Click",
    "type": "Type into",
    "select": "Choose in",
    "hover": "Point at",
    "press": "Press a key in",
    "fill_form": "Fill in a form",
    "scroll": "Scroll",
    "upload": "Upload files to",
    "drag": "Drag",
    "dialog": "Answer a dialog",
    "download": "Download",
    "evaluate": "Run a script",
    "cookies": "Use cookies",
    "storage": "Use stored data",
    "navigate": "Open a page",
    "snapshot": "Look at the page",
    "find": "Search the page",
    "read": "Read the page",
    "dom": "Look at the page's structure",
    "wait_for": "Wait for the page",
    "screenshot": "Take a picture",
    "tabs": "Look at the tabs",
    "console": "Read the console",
    "network": "Look at the requests",
    "picked": "See what you picked",
}
_VALUES = ("text", "value", "values", "key", "url", "paths", "expression", "filename")
_LINE_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_REF = re.compile(r"(?:f\d+)?e\d+")
LONGEST_VALUE = 200


def plain(text: str) -> str:
    """The text in one line, without characters that do something other than show."""
    return "".join(
        "�" if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character
        for character in _LINE_BREAKS.sub(" ⏎ ", text)
    )


def what(tool: str, arguments: Mapping[str, object], *, element: str = "") -> str:
    """ "Click button “Pay now”", "Fill in a form"."""
    name = tool.removeprefix("browser_")
    if name == "interact":
        name = str(arguments.get("action", ""))
    verb = VERBS.get(name, name.replace("_", " ").capitalize())
    target = element or element_words(arguments.get("element"))
    if target:
        return f"{verb} {target}"
    return verb.removesuffix(" in").removesuffix(" into").removesuffix(" to")


def element_words(element: object) -> str:
    if isinstance(element, str):
        return f"the element {element}"
    if not isinstance(element, Mapping):
        return ""
    parts = cast("Mapping[str, object]", element)
    if "role" in parts:
        named = f" “{parts['name']}”" if parts.get("name") else ""
        return f"{parts['role']}{named}"
    return f"the element {next(iter(parts.values()), '')}"


def values(arguments: Mapping[str, object]) -> dict[str, str]:
    """What would be put in, as given: whoever shows it redacts it first."""
    return {name: _short(arguments[name]) for name in _VALUES if arguments.get(name) is not None}


def steps(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """The parts of an announced plan, such as the fields of a form."""
    fields = arguments.get("fields")
    if not isinstance(fields, Sequence) or isinstance(fields, str):
        return ()
    return tuple(_step(field) for field in cast("Sequence[object]", fields))


def is_lasting_name(element: object) -> bool:
    """Whether this names the same thing on every page; a ref is only a number on one."""
    if isinstance(element, str):
        return bool(element) and not _REF.fullmatch(element)
    return isinstance(element, Mapping) and "ref" not in element


def step(element: str, field: object) -> str:
    """One field of a form: "textbox “Name”: Ada"."""
    value = cast("Mapping[str, object]", field).get("value", "") if isinstance(field, Mapping) else field
    return f"{element}: {_short(value)}"


def _step(field: object) -> str:
    if not isinstance(field, Mapping):
        return _short(field)
    return step(element_words(cast("Mapping[str, object]", field).get("element")), cast("object", field))


def _short(value: object) -> str:
    text = ", ".join(map(str, cast("Sequence[object]", value))) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
