"""Extracts rows from a page: of a table, a list or cards, found by fields, by an example, or alone. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import ElementError, ElementNotFound, InvalidArgument, StaleRef
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.selectors import ElementArgument
from browser_pilot.page.frames import MAIN
from browser_pilot.page.tab import Tab
from browser_pilot.safe_text import parse_json

GIVE_ONE = (
    'Name the table or list with `element`, its rows with `rows` (CSS), or give an `example` such as {"name": "…"}.'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRequest:
    """``element`` contains the rows, ``rows`` is their CSS selector, ``fields`` are rules of ``selection.js`` by name.

    ``example`` are texts of one row by field. Without any of them, the one table or list of the page is taken.
    """

    element: ElementArgument | None = None
    rows: str | None = None
    fields: Mapping[str, str] | None = None
    example: Mapping[str, str] | None = None
    max_rows: int


@dataclass(frozen=True, slots=True)
class ExtractedRows:
    """``is_cut``: the page has more than was read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    is_cut: bool = False


async def extract_rows(tab: Tab, request: ExtractionRequest, *, timeout_ms: int) -> ExtractedRows:
    target = None if request.element is None else await resolve(tab, request.element)
    if target is None:
        frames = await tab.world.live_frames(timeout_ms=timeout_ms)
        frame = next(frame for frame in frames if frame.number == MAIN)
    else:
        frame = target.frame
    wire: dict[str, Any] = {
        "root": None if target is None else target.ref,
        "rows": request.rows,
        "fields": None if request.fields is None else dict(request.fields),
        "example": None if request.example is None else dict(request.example),
        "maxRows": request.max_rows,
    }
    text = await tab.world.call(frame, "extractRows", wire, repeatable=True, timeout_ms=timeout_ms)
    found = cast("dict[str, Any]", parse_json(cast("str", text)))
    if "problem" in found:
        raise _problem(str(found["problem"]), cast("list[str]", found.get("candidates", [])))
    rows = tuple(tuple(None if cell is None else str(cell) for cell in row) for row in found["rows"])
    return ExtractedRows(tuple(map(str, found["columns"])), rows, bool(found["isCut"]))


async def has_next_page(tab: Tab, element: ElementArgument, *, timeout_ms: int) -> bool:
    """Whether the button or link to the next page exists and can be used."""
    try:
        target = await resolve(tab, element)
    except (ElementNotFound, StaleRef):
        return False
    end = await tab.world.call(target.frame, "isPagerEnd", target.ref, repeatable=True, timeout_ms=timeout_ms)
    return end is False


def _problem(problem: str, candidates: list[str]) -> InvalidArgument | ElementError:
    if problem == "ambiguous":
        return InvalidArgument(
            f"There are several tables or lists here: {'; '.join(candidates)}.", suggestions=[GIVE_ONE]
        )
    if problem == "no rows":
        return ElementNotFound("There is no table or list with rows here.", suggestions=[GIVE_ONE])
    if problem == "gone":
        return StaleRef("The element is no longer on the page.", suggestions=["Take a new snapshot."])
    return InvalidArgument(f"Nothing was extracted: {problem}.", suggestions=[GIVE_ONE])
