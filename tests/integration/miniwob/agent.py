"""An agent that knows a page only from tool results: it names elements by ref and applies diffs.

It cannot run scripts in the page. The harness (``episodes``) starts a task and reads its reward.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from mcp.client import Client

from tests.clients import call, page_text

from .table import Row, apply_result, read_rows

Element = str | Row | dict[str, Any]


class Agent:
    def __init__(self, client: Client, task: str) -> None:
        self.client = client
        self.task = task
        self.rows: tuple[Row, ...] = ()
        # Every row that a result has shown, by ref: rows that reappear unchanged come without their content.
        self.shown: dict[str, Row] = {}

    @property
    def quoted(self) -> list[str]:
        """The texts in quotation marks in the task."""
        return re.findall(r'"([^"]*)"', self.task)

    @property
    def finished(self) -> bool:
        """Whether the page has ended the task."""
        return bool(self.all("click", "START"))

    def match_task(self, pattern: str) -> tuple[str, ...]:
        """The groups of a pattern in the task."""
        match = re.search(pattern, self.task)
        assert match, f"{pattern!r} does not match {self.task!r}"
        return match.groups()

    async def snapshot(self, **options: Any) -> tuple[Row, ...]:
        """Take a snapshot; with options, without keeping it."""
        result = await call(self.client, "browser_snapshot", **options)
        rows = read_rows(result["elements"])
        if not options:
            self._note(rows)
        return rows

    async def call_tool(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call an action tool and apply the diff of its result."""
        given = {name: _element(value) for name, value in arguments.items()}
        result = await call(self.client, f"browser_{tool}", **given)
        self._note(apply_result(self.rows, result, self.shown))
        return result

    def _note(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        self.shown |= {row.ref: row for row in rows}

    async def tree(self) -> list[str]:
        """The tags of the DOM, in the order of their index."""
        result = await self.client.call_tool("browser_dom", {})
        return re.findall(r"\[\d+\] (\S+)", str(getattr(result.content[-1], "text", "")))

    async def read(self, **options: Any) -> str:
        result = await self.client.call_tool("browser_read", {name: _element(v) for name, v in options.items()})
        assert not result.is_error
        return page_text(result)

    async def click(self, element: Element, **options: Any) -> dict[str, Any]:
        return await self.call_tool("click", element=element, **options)

    async def type(self, element: Element, text: str, **options: Any) -> dict[str, Any]:
        return await self.call_tool("type", element=element, text=text, **options)

    async def press(self, key: str, element: Element | None = None) -> dict[str, Any]:
        return await self.call_tool("press", key=key, **({} if element is None else {"element": element}))

    async def submit(self, name: str = "Submit") -> None:
        await self.click(self.one("button", name))

    def all(self, role: str | None = None, name: str | None = None) -> list[Row]:
        """The elements with a role and a name, inside lines of text too."""
        elements = (element for row in self.rows for element in row.elements())
        return [element for element in elements if role in (None, *_roles(element)) and name in (None, element.name)]

    def one(self, role: str | None = None, name: str | None = None) -> Row:
        found = self.all(role, name)
        assert found, f"no {role} {name!r} among {self.rows}"
        return found[0]

    def where(self, fits: Callable[[Row], bool], *, start: int = 0) -> int:
        """The index of the first matching row."""
        return next(index for index, row in enumerate(self.rows) if index >= start and fits(row))

    def texts(self, roles: Sequence[str] = ("text", "row", "item", "heading")) -> list[str]:
        return [row.text for row in self.rows if not _roles(row).isdisjoint(roles)]


def _roles(row: Row) -> set[str]:
    return {row.role, "heading"} if re.fullmatch("h[1-6]", row.role) else {row.role}


def _element(value: Any) -> Any:
    return value.ref if isinstance(value, Row) else value
