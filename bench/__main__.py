"""``python -m bench``: fetches the packages, runs the operations, prints and writes the results."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from . import cache, competitors, machine, pages
from .coverage import Reference, read_references
from .operations import OPERATIONS, Operation, RunContext
from .report import Results, as_json, markdown, show
from .runner import run
from .server import Site
from .stats import summarise
from .targets import evaluate_targets
from .tokens import load_counter

RESULTS = Path(__file__).parent / "results"
# Width of the table when stdout is not a terminal; rich would use 80 columns.
PLAIN_WIDTH = 170


def main() -> int:
    options = _parse()
    # SIGTERM behaves like Ctrl-C: the `finally` blocks stop all started processes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    try:
        chromium = machine.find_chromium()
        with console.status("Fetching peers and pages from npm …"):
            absent = cache.install_peers()
            folders = pages.fetch()
    except (cache.CacheError, machine.BrowserNotFound) as error:
        console.print(f"[red]{error}[/red]")
        return 1
    facts = machine.describe(chromium)
    all_competitors = competitors.create(chromium, options.before)
    for name, reason in absent.items():
        console.print(f"[yellow]{name} is skipped because it cannot be installed: {reason}[/yellow]", highlight=False)
    chosen = {*options.peers, competitors.BEFORE} - absent.keys()
    selected = [competitor for name, competitor in all_competitors.items() if name in chosen]
    operations = [operation for operation in OPERATIONS if operation.key in options.only]
    site = Site.start(folders)
    try:
        with console.status("Starting …") as status:
            references: Mapping[str, Reference] = {}
            if _reads_pages(operations):
                references = read_references(site, all_competitors[competitors.BASELINE])
            context = RunContext(site=site, count=load_counter(cache.RANKS_FILE), references=references)
            samples = run(selected, operations, context, rounds=options.rounds, show_progress=status.update)
    finally:
        site.stop()
    summaries = summarise(samples)
    results = Results(
        machine={"when": datetime.now(UTC).isoformat(timespec="seconds"), **facts, "rounds": str(options.rounds)},
        competitors={competitor.name: competitor.version for competitor in selected},
        titles={key: title for operation in operations for key, title in operation.titles.items()},
        samples=samples,
        summaries=summaries,
        verdicts=evaluate_targets(summaries),
        absent={name: reason for name, reason in absent.items() if name in options.peers},
    )
    show(results, console)
    _write(results, console)
    return 0


def _parse() -> argparse.Namespace:
    keys = [operation.key for operation in OPERATIONS]
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Browser Pilot against its peers.")
    parser.add_argument("--rounds", type=int, default=9, help="number of measurements per operation (default 9)")
    parser.add_argument("--only", type=_list_of(keys), default=keys, help=f"operations of: {', '.join(keys)}")
    names = list(competitors.ALL)
    parser.add_argument("--peers", type=_list_of(names), default=names, help=f"competitors of: {', '.join(names)}")
    parser.add_argument("--before", type=Path, help="the browser-pilot command of another version, measured as well")
    return parser.parse_args()


def _list_of(known: list[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        chosen = [part.strip() for part in text.split(",")]
        unknown = [part for part in chosen if part not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)} is not one of: {', '.join(known)}")
        return chosen

    return parse


def _reads_pages(operations: list[Operation]) -> bool:
    return any(operation.key == "pages" for operation in operations)


def _write(results: Results, console: Console) -> None:
    RESULTS.mkdir(exist_ok=True)
    stem = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    for suffix, text in (("md", markdown(results)), ("json", as_json(results))):
        path = RESULTS / f"{stem}.{suffix}"
        path.write_text(text, encoding="utf-8")
        console.print(f"Written: {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped. All started processes have ended.")
