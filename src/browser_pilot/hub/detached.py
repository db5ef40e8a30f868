"""The hub as an adapter starts it: ``serve --detached``. Its first line on stdout says whether it is ready.

It does not go through the command line, and starts a browser for the adapter's client while the rest of the hub is
still imported: a client's first page needs both.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from browser_pilot.audit_log.log_file import log_to_file
from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.config.settings import load_settings
from browser_pilot.errors import PilotError, error_data
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import log_path

from .early_start import ManagedBrowsers, claimed_home


def run_detached_hub() -> None:
    try:
        asyncio.run(_serve(locate_home()))
    except PilotError as error:
        _report({"error": error_data(error)})
        sys.exit(1)


async def _serve(home: Path) -> None:
    load = partial(load_settings, home=home)
    settings = load()
    log_to_file(log_path(home), settings.logging)
    early = BackgroundTasks("the hub's start")
    async with claimed_home(home, settings) as managed:
        early.spawn(_start_browser(managed))
        try:
            await asyncio.to_thread(import_module, ".app", __package__)
            from .app import Hub

            hub = Hub(settings, home, managed, detached=True, load=load)
            await hub.serve(
                lambda endpoint: _report({"ready": True, "port": endpoint.info.port, "note": endpoint.notice})
            )
        finally:
            await early.close()


async def _start_browser(managed: ManagedBrowsers) -> None:
    await managed.warm_driver()
    await managed.warm_browser()


def _report(content: dict[str, object]) -> None:
    """Write the only line of output, and detach from stdout."""
    sys.stdout.write(f"{json.dumps(content)}\n")
    sys.stdout.flush()
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.close(devnull)
