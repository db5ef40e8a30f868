"""`browser-pilot serve`: the hub, in the foreground for people and containers, detached for adapters."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..config import Settings, load_settings
from ..errors import PilotError
from ..home import locate_home
from ..runtime import log_path
from .output import RUNNING, WARNING, say

if TYPE_CHECKING:
    from ..listening import Listening


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; keep to loopback.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes any free one.", show_default="8777")] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's windows.")] = False,
    browser: Annotated[str | None, typer.Option(help="Path of a browser, or chrome, chromium, edge.")] = None,
    cdp: Annotated[str | None, typer.Option(metavar="URL", help="A browser elsewhere, by its CDP endpoint.")] = None,
    grid: Annotated[str | None, typer.Option(metavar="URL", help="Browsers of a Selenium Grid.")] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Open a page of our own first, and say how to connect.")
    ] = False,
    detached: Annotated[bool, typer.Option("--detached", hidden=True)] = False,
) -> None:
    """Run the hub in the foreground until Ctrl-C."""
    options = {
        "hub.host": host,
        "hub.port": port,
        "browser.executable": browser,
        "browser.headless": False if headed else None,
        "browser.cdp_url": cdp,
        "browser.grid_url": grid,
        "browser.engine": "grid" if grid else "cdp" if cdp else None,
    }
    home = locate_home()
    if detached:
        _serve_detached(home, options)
        return
    load = partial(load_settings, home=home, options=options)
    asyncio.run(_serve_in_foreground(load, home, prove=prove))
    say("○ Browser Pilot has ended.")


async def _serve_in_foreground(load: Callable[[], Settings], home: Path, *, prove: bool) -> None:
    # Late, because every command would wait for them.
    from ..app import Hub

    settings = load()
    hub = Hub(settings, home, load=load)
    _log_to_file(home, settings)

    def ready(listening: Listening) -> None:
        if listening.note:
            say(WARNING, " ", listening.note)
        say(RUNNING, f" Browser Pilot {__version__} listens at {listening.mcp_url}")
        if not prove:
            say("  Ctrl-C ends it.")

    await hub.serve(ready, beside=_proof(settings, home) if prove else None)


def _proof(settings: Settings, home: Path) -> Callable[[Listening], Awaitable[None]]:
    from .prove import prove_and_tell

    return lambda listening: prove_and_tell(listening, settings, home)


def _serve_detached(home: Path, options: Mapping[str, object]) -> None:
    """Tell the adapter that started us, in one line on stdout, whether the hub is there; then let go of stdout."""
    from ..app import Hub
    from ..server.answers import error_data

    try:
        load = partial(load_settings, home=home, options=options)
        settings = load()
        _log_to_file(home, settings)
        hub = Hub(settings, home, detached=True, load=load)

        def ready(listening: Listening) -> None:
            _tell({"ready": True, "port": listening.info.port, "note": listening.note})

        asyncio.run(hub.serve(ready))
    except PilotError as error:
        _tell({"error": error_data(error)})
        sys.exit(1)


def _tell(content: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(content)}\n")
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _log_to_file(home: Path, settings: Settings) -> None:
    from ..records.keeping import PrivateLogFile

    handler = PrivateLogFile(log_path(home), settings.logging)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(settings.logging.level.upper())
