"""Formats actions of the audit log for a terminal: one line each in a list, or all details of one. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .time_format import format_duration, format_time

if TYPE_CHECKING:
    from browser_pilot.audit_log.reader import AuditedAction
    from browser_pilot.json_types import Json

HEADINGS = ("Id", "Time", "Client", "Tool", "Site", "Decision", "Result", "Took")
# With --follow the later rows are unknown, so the columns have a fixed width.
WIDTHS = (6, 14, 14, 20, 24, 8, 26, 8)
# Columns with long texts may become narrower, down to this.
MIN_WIDTHS = (0, 0, 10, 16, 16, 0, 21, 0)
# What a narrow terminal does not show, in this order; `log show` shows all.
OPTIONAL_COLUMNS = (7, 2, 5)
SEPARATOR = "  "
RIGHT_ALIGNED = frozenset({0, 7})
NOTE_FIELDS = frozenset({"kind", "time_ms", "by", "text", "details"})
DETAIL_FIELDS = (
    ("Time", "time_ms"),
    ("Client", "client"),
    ("Session", "session"),
    ("Tab", "tab"),
    ("Tool", "tool"),
    ("Effect", "effect"),
    ("Site", "site"),
    ("Page", "url"),
    ("Decision", "decision"),
    ("Rule", "rule"),
    ("Risk", "risk"),
    ("Approval", "approval"),
    ("Granted for", "grant"),
    ("Run", "run"),
    ("Step", "step"),
)


def list_row(action: AuditedAction) -> tuple[str, ...]:
    """The cells of one line, one per heading."""
    intent = action.intent
    kind = _text(intent.get("kind"))
    if kind != "intent":
        return (
            str(action.seq),
            format_time(intent.get("time_ms"), year=False),
            _text(intent.get("by")),
            kind,
            "",
            "",
            _line(intent.get("text")),
            "",
        )
    return (
        str(action.seq),
        format_time(intent.get("time_ms"), year=False),
        _text(intent.get("client")),
        _text(intent.get("tool")),
        _text(intent.get("site")),
        _text(intent.get("decision")),
        result(action),
        format_duration((action.outcome or {}).get("duration_ms")),
    )


def list_rows(actions: Sequence[AuditedAction]) -> list[tuple[str, ...]]:
    """One line per action, and one per run for all its steps, where its first step is."""
    runs: dict[str, list[AuditedAction]] = {}
    for action in actions:
        if run := _text(action.intent.get("run")):
            runs.setdefault(run, []).append(action)
    shown: list[tuple[str, ...]] = []
    for action in actions:
        steps = runs.get(_text(action.intent.get("run")), ())
        if not steps:
            shown.append(list_row(action))
        elif action is steps[0]:
            shown.append(_run_row(steps))
    return shown


def _run_row(steps: Sequence[AuditedAction]) -> tuple[str, ...]:
    first = steps[0].intent
    done = sum((step.outcome or {}).get("status") == "ok" for step in steps)
    failed = next((step for step in steps if step.outcome and step.outcome.get("status") != "ok"), None)
    running = any(step.outcome is None for step in steps)
    ending = f", {result(failed)}" if failed else ", in progress" if running else ""
    decisions = {_text(step.intent.get("decision")) for step in steps}
    sites = list(dict.fromkeys(filter(None, (_text(step.intent.get("site")) for step in steps))))
    durations = [(step.outcome or {}).get("duration_ms") for step in steps]
    return (
        str(steps[0].seq),
        format_time(first.get("time_ms"), year=False),
        _text(first.get("client")),
        f"run {_text(first.get('run'))}",
        sites[0] + (f" +{len(sites) - 1}" if len(sites) > 1 else "") if sites else "",
        next((word for word in ("deny", "ask") if word in decisions), "allow"),
        f"{done} of {_text(first.get('steps'))} ok{ending}",
        format_duration(sum(value for value in durations if isinstance(value, int | float))),
    )


@dataclass(frozen=True)
class TableLayout:
    """The columns that are shown, with their widths."""

    widths: Mapping[int, int]

    def line(self, cells: tuple[str, ...]) -> str:
        shown = (
            _elide(cells[index], width).rjust(width)
            if index in RIGHT_ALIGNED
            else _elide(cells[index], width).ljust(width)
            for index, width in self.widths.items()
        )
        return SEPARATOR.join(shown).rstrip()


def layout(rows: Iterable[tuple[str, ...]] | None, *, width: int | None) -> TableLayout:
    """Columns that are as wide as their cells, if they are known, and fit into ``width``, if it is limited."""
    lines = None if rows is None else [HEADINGS, *rows]
    columns = range(len(HEADINGS))
    widths = {index: WIDTHS[index] if lines is None else max(len(line[index]) for line in lines) for index in columns}
    if width is None:
        return TableLayout(widths)
    for column in OPTIONAL_COLUMNS:
        least = {index: min(natural, MIN_WIDTHS[index] or natural) for index, natural in widths.items()}
        if _total(least) <= width:
            break
        del widths[column]
    while _total(widths) > width:
        spare = {index: natural - MIN_WIDTHS[index] for index, natural in widths.items() if MIN_WIDTHS[index]}
        widest = max(spare, key=lambda index: spare[index])
        if spare[widest] <= 0:
            break
        widths[widest] -= 1
    return TableLayout(widths)


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + len(SEPARATOR) * (len(widths) - 1)


def _elide(cell: str, width: int) -> str:
    return cell if len(cell) <= width else f"{cell[: width - 1]}…"


def result(action: AuditedAction) -> str:
    """The outcome in one or two words."""
    if action.outcome is None:
        return "in progress"
    return " ".join(filter(None, (_text(action.outcome.get("status")), _text(action.outcome.get("error")))))


def details(action: AuditedAction) -> list[tuple[str, str]]:
    """All known details of one action as label and value."""
    intent = action.intent
    if intent.get("kind") != "intent":
        rest = {name: value for name, value in intent.items() if name not in NOTE_FIELDS}
        rows = [
            ("Kind", _text(intent.get("kind"))),
            ("Time", format_time(intent.get("time_ms"))),
            ("By", _text(intent.get("by"))),
            ("Text", _text(intent.get("text"))),
            ("Details", _pretty({**rest, **_object(intent.get("details"))})),
        ]
        return [(label, value) for label, value in rows if value]
    rows = [
        (label, format_time(intent.get(name)) if name == "time_ms" else _text(intent.get(name)))
        for label, name in DETAIL_FIELDS
    ]
    rows.append(("Arguments", _pretty(_object(intent.get("arguments"))) or _text(intent.get("arguments"))))
    rows.append(("Result", result(action)))
    if action.outcome is not None:
        rows.append(("Took", format_duration(action.outcome.get("duration_ms"))))
        rows.append(("Summary", _text(action.outcome.get("summary"))))
        rows.append(("URL after", _text(action.outcome.get("url"))))
    return [(label, value) for label, value in rows if value]


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _pretty(value: dict[str, Json]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _text(value: Json) -> str:
    """Escapes control characters: a page could use them to manipulate the terminal."""
    if value is None or isinstance(value, dict):
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "".join(
        character if character.isprintable() or character == "\n" else repr(character)[1:-1] for character in text
    )


def _line(value: Json) -> str:
    return " ".join(_text(value).split())
