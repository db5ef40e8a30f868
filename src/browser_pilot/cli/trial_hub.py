"""The check of `doctor` that opens a page: through the running hub, or through one that it starts and stops.

The hub of the check has a temporary home with the user's settings, so that nothing of it stays.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from browser_pilot.config.settings import Settings, config_path
from browser_pilot.demo.site import demo_site
from browser_pilot.errors import PilotError
from browser_pilot.home import make_private_folder

from .doctor_checks import CheckResult
from .hub_control import RunningHub, ensure_hub, find_hub, stop_hub
from .mcp_client import connect

CLIENT = "browser-pilot doctor"
TIMEOUT_SECONDS = 90.0
# The user's own Chrome is not used for a check; a page of this machine cannot be opened by a remote browser.
REMOTE_ENGINES = ("cdp", "grid")


async def check_page(home: Path, settings: Settings) -> CheckResult:
    """Open a page through the gateway, as an agent would."""
    started = time.perf_counter()
    try:
        running = await asyncio.to_thread(find_hub, home)
        problem = await (_open(running, settings) if running else _open_in_trial_hub(home, settings))
    except TimeoutError:
        return CheckResult("Page", "problem", f"no page opened within {TIMEOUT_SECONDS:.0f} seconds", _log_hint(home))
    except (PilotError, OSError) as error:
        tips = error.suggestions if isinstance(error, PilotError) else ()
        fix = next((tip for tip in tips if "doctor" not in tip), _log_hint(home))
        return CheckResult("Page", "problem", str(error), fix)
    by = "the running hub" if running else "a hub of this check"
    return problem or CheckResult("Page", "ok", f"{by} opened a page in {time.perf_counter() - started:.1f} s")


async def _open_in_trial_hub(home: Path, settings: Settings) -> CheckResult | None:
    with _trial_home(home) as trial:
        hub = await asyncio.to_thread(ensure_hub, trial)
        try:
            return await _open(hub, settings)
        finally:
            await asyncio.to_thread(stop_hub, trial, hub)


async def _open(hub: RunningHub, settings: Settings) -> CheckResult | None:
    if settings.browser.engine in REMOTE_ENGINES:
        return await _open_address(hub, "about:blank", {})
    with demo_site() as address:
        return await _open_address(hub, address, {"engine": "managed"})


async def _open_address(hub: RunningHub, address: str, options: dict[str, str]) -> CheckResult | None:
    async with (
        asyncio.timeout(TIMEOUT_SECONDS),
        connect(hub.mcp_url, hub.info.token, name=CLIENT, options=options) as client,
    ):
        result = await client.call("browser_navigate", {"url": address})
    if not result.is_error:
        return None
    message = str(result.data.get("message", result.text))
    if result.data.get("error") in ("DOMAIN_DENIED", "APPROVAL_DENIED", "APPROVAL_TIMEOUT"):
        return CheckResult("Page", "warning", f"the hub works, but your rules keep it from a test page: {message}")
    tips = result.data.get("suggestions")
    first = str(cast("list[object]", tips)[0]) if isinstance(tips, list) and tips else None
    return CheckResult("Page", "problem", message, first)


@contextmanager
def _trial_home(home: Path) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="browser-pilot-doctor-", ignore_cleanup_errors=True) as folder:
        trial = Path(folder) / "home"
        make_private_folder(trial)
        if config_path(home).is_file():
            shutil.copy(config_path(home), config_path(trial))
        yield trial


def _log_hint(home: Path) -> str:
    return f"`browser-pilot serve --prove` shows the hub's messages; the log of earlier hubs is in {home / 'logs'}."
