"""What an agent sees: the accessible page as rows of ref, role, name and states."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .playwright_errors import translated
from .tab import Tab

LINE = re.compile(r'\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<marks>(?: \[[^\]]*\])*)(?P<rest>:.*)?$')
MARK = re.compile(r"\[([^\]]*)\]")
STATES = ("disabled", "checked", "expanded", "selected", "pressed", "mixed")
ALWAYS_TWO_STATES = {"checkbox": "unchecked", "radio": "unchecked", "switch": "unchecked"}


@dataclass(frozen=True)
class Row:
    ref: str
    role: str
    name: str
    states: str


@dataclass(frozen=True)
class View:
    url: str
    title: str
    rows: tuple[Row, ...]


async def take_view(tab: Tab, *, timeout_ms: int) -> View:
    with translated("Taking a snapshot"):
        text = await tab.page.aria_snapshot(mode="ai", timeout=timeout_ms)
        title = await tab.page.title()
    return View(tab.page.url, title, tuple(rows_of(text)))


def rows_of(text: str) -> list[Row]:
    rows: list[Row] = []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        role, rest = match["role"], (match["rest"] or ":")[1:].strip().strip('"')
        name = re.sub(r"\\(.)", r"\1", match["name"] or "")
        marks = MARK.findall(match["marks"])
        ref = next((mark[4:] for mark in marks if mark.startswith("ref=")), "")
        if role == "generic" and not rest and "cursor=pointer" not in marks:
            continue
        states = [mark for mark in marks if mark in STATES]
        states += ["focused"] if "active" in marks else []
        states += [mark for mark in marks if mark.startswith("level=")]
        if role in ALWAYS_TWO_STATES and "checked" not in states and "mixed" not in states:
            states.append(ALWAYS_TWO_STATES[role])
        rows.append(Row(ref, role, " ".join(filter(None, (name, rest))), " ".join(states)))
    return rows
