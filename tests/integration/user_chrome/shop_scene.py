"""Set-up of the side panel tests: a shared shop page, an agent that needs approval, and the panel."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.client import Client
from playwright.async_api import Page

from browser_pilot.assets import Asset, fetch_archive
from tests.clients import call, http_client
from tests.hub_process import HubProcess

from .chrome import Chrome

SHOP = """<!doctype html><html lang="en"><title>Checkout - Example Shop</title>
<style>body { font: 16px system-ui; margin: 40px; max-width: 560px } label { display: block; margin: 12px 0 }
input { padding: 8px; width: 100% }
button { padding: 10px 20px; background: #0a7d4f; color: #fff; border: 0; border-radius: 6px }</style>
<h1>Checkout</h1>
<form onsubmit="event.preventDefault(); document.title = 'Paid'">
<label>Name on card <input name="holder" value="Ada Lovelace"></label>
<label>Coupon <input name="coupon"></label>
<ul><li>Tea <button type="button" class="x">Remove</button></li>
<li>Cake <button type="button" class="x">Remove</button></li></ul>
<p>Total: 49.00 EUR</p>
<button>Pay now</button></form></html>"""
ASKING = '[browser]\nengine = "own"\n[tools]\nprofile = "full"\n[policy]\nstep_budget = 200\nrate_per_minute = 100000\n'
TIMEOUT_MS = 60_000
Opening = Callable[[], AbstractAsyncContextManager["Scene"]]


@dataclass
class Scene:
    """A shared shop page, an agent that needs approval, and the panel."""

    hub: HubProcess
    chrome: Chrome
    page: Page
    agent: Client
    panel: Page


@asynccontextmanager
async def opened(hub: HubProcess, chrome: Chrome, url: str) -> AsyncGenerator[Scene]:
    page = await chrome.open(url)
    await chrome.share(page)
    panel = await chrome.panel(page)
    try:
        async with http_client(hub) as agent:
            await call(agent, "browser_snapshot")
            yield Scene(hub, chrome, page, agent, panel)
    finally:
        # A page that stays would be shared instead of the next test's, which has the same URL.
        await panel.close()
        await page.close()


AXE = Asset(
    package="axe-core",
    version="4.14.0",
    integrity="sha512-9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ==",
    file="axe.min.js",
    licence="LICENSE",
)


def axe_source() -> str:
    """The source of axe, downloaded once into the virtual environment."""
    folder = Path(sys.prefix) / f"axe-core-{AXE.version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=sys.prefix) as fresh:
            with tarfile.open(fetch_archive(AXE, Path(fresh))) as package:
                # Verified by its hash. Python 3.11.2, Debian's, has no extraction filter yet.
                package.extractall(fresh)
            (Path(fresh) / "package").rename(folder)
    return (folder / AXE.file).read_text(encoding="utf-8")


async def accessibility_violations(page: Page) -> list[str]:
    """Serious accessibility violations of a page, in its light and its dark theme."""
    await page.evaluate(axe_source())
    found: list[str] = []
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        outcome: dict[str, Any] = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        found += [
            f"{scheme}: {one['id']}: {one['nodes'][0]['html'][:120]} {one['nodes'][0]['failureSummary']}"
            for one in outcome["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    return found
