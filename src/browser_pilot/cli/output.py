"""Output of commands: rich text on a terminal, plain text in a pipe, JSON for scripts."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from browser_pilot.errors import PilotError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

SUCCESS = Text("✓", style="green")
WARNING = Text("!", style="bold yellow")
FAILURE = Text("✗", style="bold red")
RUNNING = Text("●", style="green")


def print_line(*parts: str | Text, to: Console = out) -> None:
    """Print a line, wrapped between words on a terminal.

    Square brackets are not markup, because text may come from pages and files.
    """
    to.print(Text.assemble(*parts), soft_wrap=not to.is_terminal, overflow="ignore", crop=False)


def count_noun(number: int, word: str) -> str:
    """``1 row``, ``1,234 rows``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def print_json(data: object) -> None:
    out.out(json.dumps(data, indent=2, ensure_ascii=False, default=str), highlight=False)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()) -> None:
    """A table on a terminal, aligned columns in a pipe. ``right`` are the right-aligned columns."""
    lines = [tuple(row) for row in rows]
    if out.is_terminal:
        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
        for index, heading in enumerate(headings):
            table.add_column(heading, justify="right" if index in right else "left", overflow="fold")
        for line in lines:
            table.add_row(*(Text(cell) for cell in line))
        out.print(table, soft_wrap=False)
        return
    widths = [max(len(line[index]) for line in (tuple(headings), *lines)) for index in range(len(headings))]
    for line in (tuple(headings), *lines):
        cells = (
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        out.out("  ".join(cells).rstrip(), highlight=False)


def print_error(error: PilotError) -> None:
    print_line(FAILURE, " ", error.message, to=err)
    for suggestion in error.suggestions:
        print_line("  → ", suggestion, to=err)


def first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first exception inside nested exception groups."""
    error = group.exceptions[0]
    return (
        first_error(cast(BaseExceptionGroup[BaseException], error)) if isinstance(error, BaseExceptionGroup) else error
    )


@contextmanager
def progress(doing: str) -> Generator[None]:
    """Shows a spinner with a description; nothing in a pipe."""
    with err.status(Text(doing), spinner="dots"):
        yield
