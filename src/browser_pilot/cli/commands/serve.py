"""`browser-pilot serve`: runs the hub in the foreground, for people and containers. Adapters start `hub.detached`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_pilot import __version__
from browser_pilot.cli.output import RUNNING, WARNING, print_line
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import log_path

if TYPE_CHECKING:
    from browser_pilot.hub.http_listener import HubEndpoint


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; use a loopback address.")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 for any free port.", show_default="8777")
    ] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's windows.")] = False,
    browser: Annotated[str | None, typer.Option(help="Path of a browser, or chrome, chromium, edge.")] = None,
    cdp: Annotated[str | None, typer.Option(metavar="URL", help="Use a remote browser by its CDP endpoint.")] = None,
    grid: Annotated[str | None, typer.Option(metavar="URL", help="Use the browsers of a Selenium Grid.")] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Run a smoke test with a demo page, and print how to connect.")
    ] = False,
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
    load = partial(load_settings, home=home, options=options)
    asyncio.run(_serve_in_foreground(load, home, prove=prove))
    print_line("○ Browser Pilot has stopped.")


async def _serve_in_foreground(load: Callable[[], Settings], home: Path, *, prove: bool) -> None:
    # Imported here, because the import is slow.
    from browser_pilot.audit_log.log_file import log_to_file
    from browser_pilot.hub.app import Hub
    from browser_pilot.hub.early_start import claimed_home

    settings = load()

    def ready(listening: HubEndpoint) -> None:
        if listening.notice:
            print_line(WARNING, " ", listening.notice)
        print_line(RUNNING, f" Browser Pilot {__version__} listens at {listening.mcp_url}")
        if not prove:
            print_line("  Press Ctrl-C to stop.")

    async with claimed_home(home, settings) as managed:
        hub = Hub(settings, home, managed, load=load)
        log_to_file(log_path(home), settings.logging)
        await hub.serve(ready, companion=_smoke_test(settings, home) if prove else None)


def _smoke_test(settings: Settings, home: Path) -> Callable[[HubEndpoint], Awaitable[None]]:
    from browser_pilot.cli.smoke_test import run_and_report

    return lambda listening: run_and_report(listening, settings, home)
