"""Describes a tool call in plain English, for the person who decides on it. Pure.

Text from pages and agents goes through ``plain_text`` before a person sees it: it must not move a terminal's cursor,
start a line that looks like ours, or change the reading direction.

The element is described from the arguments ("Click button “Pay now”"), unless the caller passes its name on the page.
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
    "evaluate": "Run a script on",
    "cookies": "Use cookies",
    "storage": "Use stored data",
    "navigate": "Open a page",
    "snapshot": "Look at the page",
    "find": "Search the page",
    "read": "Read the page",
    "extract": "Read rows of the page",
    "dom": "Look at the page's structure",
    "wait_for": "Wait for the page",
    "screenshot": "Take a picture",
    "tabs": "Look at the tabs",
    "console": "Read the console",
    "network": "Look at the requests",
    "picked": "See what you picked",
}
_VALUE_ARGUMENTS = ("text", "value", "values", "key", "url", "paths", "expression", "function", "filename")
_LINE_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ONE_PAGE = frozenset({"ref", "index", "x", "y"})
_REF = re.compile(r"(?:f\d+)?e\d+")


def plain_text(text: str) -> str:
    """The text in one line, without control and formatting characters."""
    return "".join(
        "�" if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character
        for character in _LINE_BREAKS.sub(" ⏎ ", text)
    )


def describe_action(tool: str, arguments: Mapping[str, object], *, element: str = "") -> str:
    """Describe a call: "Click button “Pay now”", "Fill in a form"."""
    name = tool.removeprefix("browser_")
    if name == "interact":
        name = str(arguments.get("action", ""))
    verb = VERBS.get(name, name.replace("_", " ").capitalize())
    target = element or describe_element(arguments.get("element"))
    if target:
        return f"{verb} {target}"
    return verb.removesuffix(" in").removesuffix(" into").removesuffix(" to").removesuffix(" on")


def describe_cookies(action: str, name: str | None, sites: Sequence[str]) -> str:
    """Describe a use of cookies: "Set the cookie “sid” of bank.example"; the last site is the page's own."""
    if action == "clear":
        return f"Clear all cookies, of {', '.join(sites)}"
    which = f"the cookie “{name}”" if name else "all cookies"
    return f"{action.capitalize()} {which} of {sites[0]}"


def describe_element(element: object) -> str:
    if isinstance(element, str):
        return f"the element {element}"
    if not isinstance(element, Mapping):
        return ""
    parts = cast("Mapping[str, object]", element)
    if "x" in parts and "y" in parts:
        return f"the point ({parts['x']}, {parts['y']})"
    if "role" in parts:
        named = f" “{parts['name']}”" if parts.get("name") else ""
        return f"{parts['role']}{named}"
    return f"the element {next(iter(parts.values()), '')}"


def shown_values(arguments: Mapping[str, object]) -> dict[str, str]:
    """The values that the call would enter, unredacted: the caller redacts them before showing them.

    In full, however long: what matters may be in the last characters (see ``models.MAX_SHOWN_CHARACTERS``).
    """
    return {name: _value_text(arguments[name]) for name in _VALUE_ARGUMENTS if arguments.get(name) is not None}


def describe_steps(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """The steps of a call that does several things, such as the fields of a form."""
    fields = arguments.get("fields")
    if not isinstance(fields, Sequence) or isinstance(fields, str):
        return ()
    return tuple(_describe_field(field) for field in cast("Sequence[object]", fields))


def is_stable_selector(element: object) -> bool:
    """Whether this selects the same element on every page of a site; a ref or a point is valid on one page only."""
    if isinstance(element, str):
        return bool(element) and not _REF.fullmatch(element)
    return isinstance(element, Mapping) and _ONE_PAGE.isdisjoint(cast("Mapping[str, object]", element))


def describe_step(element: str, field: object) -> str:
    """Describe one field of a form: "textbox “Name”: Ada"."""
    value = cast("Mapping[str, object]", field).get("value", "") if isinstance(field, Mapping) else field
    return f"{element}: {_value_text(value)}"


def _describe_field(field: object) -> str:
    if not isinstance(field, Mapping):
        return _value_text(field)
    return describe_step(describe_element(cast("Mapping[str, object]", field).get("element")), cast("object", field))


def _value_text(value: object) -> str:
    return ", ".join(map(str, cast("Sequence[object]", value))) if isinstance(value, list | tuple) else str(value)
