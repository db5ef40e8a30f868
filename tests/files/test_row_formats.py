"""Rows as CSV, JSON and JSONL."""

from __future__ import annotations

import csv
import io
import json

from browser_pilot.files.row_formats import encode_rows

COLUMNS = ("name", "price", "new")
ROWS = [{"name": 'A "b", c\nd', "price": 1.5, "new": True}, {"name": "=1+1", "price": -2, "new": None}]


def test_json_and_jsonl_keep_types() -> None:
    assert json.loads(encode_rows(COLUMNS, ROWS, "json")) == ROWS
    assert [json.loads(line) for line in encode_rows(COLUMNS, ROWS, "jsonl").splitlines()] == ROWS


def test_csv_has_a_header_and_no_formulas() -> None:
    header, *rows = csv.reader(io.StringIO(encode_rows(COLUMNS, ROWS, "csv"), newline=""))
    assert header == ["name", "price", "new"]
    assert rows == [['A "b", c\nd', "1.5", "true"], ["'=1+1", "-2", ""]]
