"""JSON with comments and trailing commas: parse it, and set one member without touching the rest of the text. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from browser_pilot.json_types import Json

_IGNORED = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\]}/]+")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
MAX_DEPTH = 100


class JsoncError(ValueError):
    """The text is not JSON with comments, or not of the expected form."""


@dataclass
class _Node:
    value: Json
    start: int
    end: int
    members: dict[str, _Node] = field(default_factory=dict[str, "_Node"])
    ends_with_comma: bool = False


class _JsoncParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> _Node:
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._error("there is text after the end")
        return node

    def _value(self, depth: int) -> _Node:
        self._skip()
        if depth > MAX_DEPTH:
            raise self._error("it is nested too deeply")
        start = self._at
        match self._text[start : start + 1]:
            case "{":
                return self._object(start, depth)
            case "[":
                return self._array(start, depth)
            case '"':
                return _Node(self._string(), start, self._at)
            case _:
                return _Node(self._scalar(), start, self._at)

    def _object(self, start: int, depth: int) -> _Node:
        values: dict[str, Json] = {}
        node = _Node(values, start, start)
        self._at += 1
        while not self._ends("}"):
            key = self._string()
            self._skip()
            self._expect(":")
            member = self._value(depth + 1)
            node.members[key], values[key] = member, member.value
            node.ends_with_comma = self._separator("}")
        node.end = self._at
        return node

    def _array(self, start: int, depth: int) -> _Node:
        items: list[Json] = []
        self._at += 1
        while not self._ends("]"):
            items.append(self._value(depth + 1).value)
            self._separator("]")
        return _Node(items, start, self._at)

    def _ends(self, bracket: str) -> bool:
        self._skip()
        if self._text[self._at : self._at + 1] != bracket:
            return False
        self._at += 1
        return True

    def _separator(self, bracket: str) -> bool:
        """Whether there was a comma; without one the bracket must follow."""
        self._skip()
        if self._text[self._at : self._at + 1] == ",":
            self._at += 1
            return True
        if self._text[self._at : self._at + 1] != bracket:
            raise self._error(f"a comma or {bracket} is missing")
        return False

    def _expect(self, character: str) -> None:
        if self._text[self._at : self._at + 1] != character:
            raise self._error(f"{character} is missing")
        self._at += 1

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._error("a text in double quotes is missing")
        value = self._load(found[0])
        self._at = found.end()
        return str(value)

    def _scalar(self) -> Json:
        found = _SCALAR.match(self._text, self._at)
        if found is None:
            raise self._error("a value is missing")
        value = self._load(found[0])
        self._at = found.end()
        return value

    def _load(self, text: str) -> Json:
        try:
            return json.loads(text)
        except ValueError:
            raise self._error(f"{text[:40]!r} is not a value") from None

    def _skip(self) -> None:
        found = _IGNORED.match(self._text, self._at)
        assert found is not None  # noqa: S101 - it matches the empty text
        self._at = found.end()

    def _error(self, message: str) -> JsoncError:
        return JsoncError(f"line {self._text.count(chr(10), 0, self._at) + 1}: {message}")


def parse_jsonc(text: str) -> Json:
    """Raises ``JsoncError``."""
    return _JsoncParser(text).document().value


def set_member(text: str, path: Sequence[str], value: Json) -> str:
    """``text`` with this member set; objects on the way to it are created. Raises ``JsoncError``."""
    node = _JsoncParser(text).document()
    depth = 0
    while True:
        if not isinstance(node.value, dict):
            raise JsoncError(f"{'.'.join(path[:depth]) or 'the document'} is not an object")
        member = node.members.get(path[depth])
        if member is None:
            rest: Json = value
            for name in reversed(path[depth + 1 :]):
                nested: dict[str, Json] = {name: rest}
                rest = nested
            return _inserted(text, node, path[depth], rest)
        depth += 1
        if depth == len(path):
            return text[: member.start] + _rendered(text, value, _indent_at(text, member.start)) + text[member.end :]
        node = member


def _inserted(text: str, parent: _Node, name: str, value: Json) -> str:
    unit = _unit(text)
    outer = _indent_at(text, parent.start)
    members = list(parent.members.values())
    multiline = members and "\n" in text[parent.start : members[0].start]
    indent = _indent_at(text, members[0].start) if multiline else outer + unit
    close = parent.end - 1
    content_end = parent.start + 1 + len(text[parent.start + 1 : close].rstrip())
    last = members[-1].end if members else None
    comma = "," if last is not None and not parent.ends_with_comma else ""
    before = text[:content_end] if last is None else text[:last] + comma + text[last:content_end]
    added = f"\n{indent}{json.dumps(name)}: {_rendered(text, value, indent)}"
    return f"{before}{added}\n{outer}{text[close:]}"


def _rendered(text: str, value: Json, indent: str) -> str:
    return json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", f"\n{indent}")


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]
