"""`browser-pilot serve`: the hub, in the foreground for people and containers, detached for adapters."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Mapping
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Annotated

import typer

from ..app import Hub, Listening
from ..config import Settings, load_settings
from ..errors import PilotError
from ..home import locate_home, make_private_folder
from .output import error_line, out


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; keep to loopback.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes any free one.")] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's windows.")] = False,
    browser: Annotated[str | None, typer.Option(help="Path of a browser, or chrome, chromium, edge.")] = None,
    detached: Annotated[bool, typer.Option("--detached", hidden=True)] = False,
) -> None:
    """Run the hub until Ctrl-C."""
    options = {
        "hub.host": host,
        "hub.port": port,
        "browser.executable": browser,
        "browser.headless": False if headed else None,
    }
    home = locate_home()
    if detached:
        _serve_detached(home, options)
        return
    load = partial(load_settings, home=home, options=options)
    settings = load()
    _log_to_file(home, settings)

    def ready(listening: Listening) -> None:
        if listening.note:
            out.print(f"[yellow]![/] {listening.note}")
        out.print(f"[green]●[/] Browser Pilot listens at [bold]{listening.mcp_url}[/]. Ctrl-C ends it.")

    asyncio.run(Hub(settings, home, load=load).serve(ready))


def _serve_detached(home: Path, options: Mapping[str, object]) -> None:
    """Tell the adapter that started us, in one line on stdout, whether the hub is there; then let go of stdout."""
    try:
        load = partial(load_settings, home=home, options=options)
        settings = load()
        _log_to_file(home, settings)
        hub = Hub(settings, home, detached=True, load=load)

        def ready(listening: Listening) -> None:
            _tell(json.dumps({"ready": True, "port": listening.info.port, "note": listening.note}))

        asyncio.run(hub.serve(ready))
    except PilotError as error:
        _tell(error_line(error))
        sys.exit(1)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _log_to_file(home: Path, settings: Settings) -> None:
    path = make_private_folder(home / "logs") / "hub.log"
    handler = RotatingFileHandler(path, maxBytes=settings.logging.max_size_mb * 1024 * 1024, backupCount=3)
    path.chmod(0o600)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(settings.logging.level.upper())
