"""Rows as the text of a CSV, JSON or JSONL file. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Literal

RowFormat = Literal["csv", "json", "jsonl"]
# A spreadsheet would run a text that begins with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def encode_rows(columns: Sequence[str], rows: Sequence[Mapping[str, object]], form: RowFormat) -> str:
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([_csv_cell(column) for column in columns])
    writer.writerows([_csv_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def _csv_cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return json.dumps(value) if isinstance(value, bool) else value
