"""Cells of extracted rows as numbers, dates, URLs and booleans."""

from __future__ import annotations

import pytest

from browser_pilot.page.snapshot.cell_types import Cell, CellType, typed

CELLS: list[tuple[CellType, str, Cell]] = [
    ("number", "42", 42),
    ("number", "$1,234.50", 1234.5),
    ("number", "1.234,50 €", 1234.5),
    ("number", "1,234", 1234),
    ("number", "1,5", 1.5),
    ("number", "12.50", 12.5),
    ("number", "1.234.567", 1234567),
    ("number", "-3 °C", -3),
    ("number", "−3", -3),
    ("number", "(120)", -120),
    ("number", "98 %", 98),
    ("number", "12 345", 12345),
    ("number", "", None),
    ("number", "none", None),
    ("number", "3 of 7", None),
    ("number", "2026-11-19", None),
    ("number", "1,2,3.4.5", None),
    ("date", "2026-11-19", "2026-11-19"),
    ("date", "2026-11-19T14:30:00", "2026-11-19T14:30:00"),
    ("date", "19.11.2026", "2026-11-19"),
    ("date", "2026/11/9", "2026-11-09"),
    ("date", "19 November 2026", "2026-11-19"),
    ("date", "Nov 9, 2026", "2026-11-09"),
    ("date", "November 9th, 2026", "2026-11-09"),
    ("date", "11/19/2026", "2026-11-19"),
    ("date", "19/11/2026", "2026-11-19"),
    ("date", "03/04/2026", None),
    ("date", "31.02.2026", None),
    ("date", "yesterday", None),
    ("url", "https://example.com/a?b", "https://example.com/a?b"),
    ("url", "javascript:alert(1)", None),
    ("url", "/relative", None),
    ("boolean", "Yes", True),
    ("boolean", "✓", True),
    ("boolean", "false", False),
    ("boolean", "–", False),
    ("boolean", "perhaps", None),
    ("text", " 1 ", " 1 "),
]


@pytest.mark.parametrize(("kind", "text", "value"), CELLS)
def test_a_cell_has_the_value_that_its_text_clearly_is(kind: CellType, text: str, value: Cell) -> None:
    found = typed(text, kind)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("kind", ["number", "date", "url", "boolean"])
def test_hostile_text_is_no_value(kind: CellType) -> None:
    for text in ("9" * 100_000, "1," * 1_000, "٣", "\x00", "1e999", "--1", "9" * 2_000):
        typed(text, kind)
