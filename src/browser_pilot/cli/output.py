"""How commands speak: rich on a terminal, plain text in a pipe, JSON for scripts."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

from ..errors import PilotError
from ..server.answers import error_data

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    out.out(json.dumps(data, indent=2, ensure_ascii=False), highlight=False)


def print_error(error: PilotError) -> None:
    err.print(f"[bold red]✗[/] {error.message}", markup=True)
    for suggestion in error.suggestions:
        err.print(f"  → {suggestion}", markup=False)


def error_line(error: PilotError) -> str:
    return json.dumps({"error": error_data(error)})
