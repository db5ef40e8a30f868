"""Renders the results as a terminal table, Markdown and JSON. Pure, except ``show``, which prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from rich.console import Console
from rich.table import Table

from .operations.base import Unit
from .stats import Sample, Summary
from .targets import Verdict, count_by_state

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Results:
    """One run. ``titles`` has the title and the unit of each operation; ``competitors`` maps names to versions.

    ``absent`` maps each competitor that could not be installed to the reason.
    """

    machine: Mapping[str, str]
    competitors: Mapping[str, str]
    titles: Mapping[str, tuple[str, Unit]]
    samples: Sequence[Sample]
    summaries: Sequence[Summary]
    verdicts: Sequence[Verdict]
    absent: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    cells: tuple[str, ...]


def rows(results: Results) -> list[Row]:
    """Returns a row per operation; an operation with several subjects has a row per subject and a total."""
    return [row for operation in results.titles for row in _rows_of(results, operation)]


def _rows_of(results: Results, operation: str) -> Iterator[Row]:
    title, unit = results.titles[operation]
    found = [summary for summary in results.summaries if summary.operation == operation]
    subjects = list(dict.fromkeys(summary.subject for summary in found))
    for subject in subjects:
        by_name = {summary.competitor: summary for summary in found if summary.subject == subject}
        cells = (_cell(by_name.get(name), unit) for name in results.competitors)
        yield Row(title=f"{title}: {subject}" if subject else title, cells=tuple(cells))
    if len(subjects) > 1:
        cells = (_overall([s for s in found if s.competitor == name], unit) for name in results.competitors)
        verb = "mean of" if unit == "share" else "sum of"
        yield Row(title=f"{title}: {verb} {len(subjects)}", cells=tuple(cells))


def _cell(summary: Summary | None, unit: Unit) -> str:
    if summary is None:
        return NOTHING
    if summary.rounds == 0:
        return "failed"
    mark = "*" if summary.failures else ""
    return _value(unit, ms=summary.ms, tokens=summary.tokens, amount=summary.amount) + mark


def _overall(summaries: Sequence[Summary], unit: Unit) -> str:
    if not summaries:
        return NOTHING
    if any(summary.rounds == 0 for summary in summaries):
        return "failed"
    amount = sum(s.amount or 0 for s in summaries)
    if unit == "share":
        amount /= len(summaries)
    ms, tokens = sum(s.ms or 0 for s in summaries), sum(s.tokens or 0 for s in summaries)
    return _value(unit, ms=ms, tokens=tokens, amount=amount)


def _value(unit: Unit, *, ms: float | None, tokens: float | None, amount: float | None) -> str:
    match unit:
        case "ms":
            return _number(ms)
        case "ms and tokens":
            return f"{_number(ms)} / {_number(tokens)}"
        case "tokens":
            return _number(tokens)
        case "share":
            return NOTHING if amount is None else f"{amount:.1%}"
        case "MB" | "processes":
            return _number(amount)


def _number(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.1f}" if 0 < abs(value) < 10 and value != int(value) else f"{value:,.0f}"


def failures(results: Results) -> list[str]:
    return [
        f"{summary.competitor}, {summary.operation} {summary.subject}: {failure}"
        for summary in results.summaries
        for failure in summary.failures
    ]


def verdict_cells(verdict: Verdict) -> tuple[str, str, str, str, str]:
    target = f"{verdict.target}: {verdict.subject}" if verdict.subject else verdict.target
    ratio = NOTHING if verdict.ratio is None else f"{verdict.ratio:.2f}"
    state = "– not measured" if verdict.met is None else "✓ met" if verdict.met else "✗ not met"
    return target, _number(verdict.ours), _number(verdict.limit), ratio, state


def markdown(results: Results) -> str:
    names = [f"{name} {version}" for name, version in results.competitors.items()]
    lines = ["# Benchmark", "", *(f"- {key}: {value}" for key, value in results.machine.items()), ""]
    lines += [f"{name} was skipped: {_one_line(reason)}\n" for name, reason in results.absent.items()]
    lines += ["Medians; milliseconds, and tokens (o200k_base) after the slash. A star: some rounds failed.", ""]
    lines += _markdown_table(["operation", *names], [[row.title, *row.cells] for row in rows(results)])
    counts = ", ".join(f"{count} {state}" for state, count in count_by_state(results.verdicts).items())
    lines += ["", "## Targets", "", f"{counts}. The ratio is our value divided by the limit.", ""]
    lines += _markdown_table(
        ["target", "ours", "at most", "ratio", ""], [list(verdict_cells(v)) for v in results.verdicts]
    )
    if problems := failures(results):
        lines += ["", "## Failures", "", *(f"- {_one_line(problem)}" for problem in problems)]
    return "\n".join(lines) + "\n"


def _markdown_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body)]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def as_json(results: Results) -> str:
    document = {
        "machine": dict(results.machine),
        "competitors": dict(results.competitors),
        "absent": dict(results.absent),
        "summaries": [asdict(summary) for summary in results.summaries],
        "targets": [{**asdict(v), "ratio": v.ratio, "met": v.met} for v in results.verdicts],
        "samples": [asdict(sample) for sample in results.samples],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def show(results: Results, console: Console) -> None:
    table = Table(title="Medians: milliseconds / tokens")
    table.add_column("operation")
    for name, version in results.competitors.items():
        table.add_column(f"{name}\n{version}", justify="right")
    for row in rows(results):
        table.add_row(row.title, *row.cells)
    console.print(table)
    targets = Table(
        title="Targets", caption=", ".join(f"{n} {state}" for state, n in count_by_state(results.verdicts).items())
    )
    for head in ("target", "ours", "at most", "ratio", ""):
        targets.add_column(head, justify="left" if head in ("target", "") else "right")
    colours = {True: "green", False: "red", None: "dim"}
    for verdict in results.verdicts:
        targets.add_row(*verdict_cells(verdict), style=colours[verdict.met])
    console.print(targets)
    for problem in failures(results):
        console.print(f"[red]{_one_line(problem)}[/red]", highlight=False)
