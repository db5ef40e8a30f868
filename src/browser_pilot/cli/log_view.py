"""How actions of the log look on a terminal: one line each in a list, everything about one. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .moments import clock_time, duration

if TYPE_CHECKING:
    from ..records.reading import Action
    from ..records.redaction import Json

HEADINGS = ("Id", "Time", "Client", "Tool", "Site", "Decision", "Result", "Took")
# While following nobody knows what is still to come, so that the columns have a fixed width.
WIDTHS = (6, 14, 14, 20, 24, 8, 26, 8)
RIGHT = frozenset({0, 7})
NOTE = frozenset({"kind", "time_ms", "by", "text", "details"})
DETAILS = (
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
)


def row(action: Action) -> tuple[str, ...]:
    """The cells of one line, as many as there are headings."""
    told = action.intent
    kind = _text(told.get("kind"))
    if kind != "intent":
        return (
            str(action.seq),
            clock_time(told.get("time_ms"), year=False),
            _text(told.get("by")),
            kind,
            "",
            "",
            _line(told.get("text")),
            "",
        )
    return (
        str(action.seq),
        clock_time(told.get("time_ms"), year=False),
        _text(told.get("client")),
        _text(told.get("tool")),
        _text(told.get("site")),
        _text(told.get("decision")),
        result(action),
        duration((action.outcome or {}).get("duration_ms")),
    )


def fixed_line(cells: tuple[str, ...]) -> str:
    padded = (
        cell.rjust(width) if index in RIGHT else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    )
    return "  ".join(padded).rstrip()


def result(action: Action) -> str:
    """How it ended, in a word or two."""
    if action.outcome is None:
        return "under way"
    return " ".join(filter(None, (_text(action.outcome.get("status")), _text(action.outcome.get("error")))))


def details(action: Action) -> list[tuple[str, str]]:
    """Everything about one action, with its label; what is not known is left out."""
    told = action.intent
    if told.get("kind") != "intent":
        rest = {name: value for name, value in told.items() if name not in NOTE}
        rows = [
            ("What", _text(told.get("kind"))),
            ("Time", clock_time(told.get("time_ms"))),
            ("By", _text(told.get("by"))),
            ("Text", _text(told.get("text"))),
            ("Details", _pretty({**rest, **_object(told.get("details"))})),
        ]
        return [(label, value) for label, value in rows if value]
    rows = [
        (label, clock_time(told.get(name)) if name == "time_ms" else _text(told.get(name))) for label, name in DETAILS
    ]
    rows.append(("Arguments", _pretty(_object(told.get("arguments"))) or _text(told.get("arguments"))))
    rows.append(("Result", result(action)))
    if action.outcome is not None:
        rows.append(("Took", duration(action.outcome.get("duration_ms"))))
        rows.append(("Summary", _text(action.outcome.get("summary"))))
        rows.append(("Then at", _text(action.outcome.get("url"))))
    return [(label, value) for label, value in rows if value]


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _pretty(value: dict[str, Json]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _text(value: Json) -> str:
    """Control characters, which a page could have put there to play with the terminal, are made visible."""
    if value is None or isinstance(value, dict):
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)


def _line(value: Json) -> str:
    return " ".join(_text(value).split())
