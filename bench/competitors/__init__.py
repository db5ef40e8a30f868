"""The measured servers and baselines, one module each."""

from __future__ import annotations

from pathlib import Path

from .agent_browser import AgentBrowser
from .base import Chromium, Competitor
from .browser_pilot import BrowserPilot
from .chrome_devtools_mcp import ChromeDevtoolsMcp
from .playwright_mcp import PlaywrightMcp
from .raw_cdp import RawCdp

OURS = BrowserPilot.name
BASELINE = RawCdp.name
PLAYWRIGHT = PlaywrightMcp.name
# Another version of Browser Pilot, measured in the same run.
BEFORE = f"{OURS} before"
PEERS = (AgentBrowser.name, ChromeDevtoolsMcp.name, PlaywrightMcp.name)
ALL = (OURS, BASELINE, *PEERS)


def create(chromium: Chromium, before: Path | None = None) -> dict[str, Competitor]:
    """``before`` is the ``browser-pilot`` command of another version."""
    earlier = () if before is None else (BrowserPilot(chromium, name=BEFORE, command=before),)
    competitors: tuple[Competitor, ...] = (
        BrowserPilot(chromium),
        *earlier,
        RawCdp(chromium),
        AgentBrowser(chromium),
        ChromeDevtoolsMcp(chromium),
        PlaywrightMcp(chromium),
    )
    return {competitor.name: competitor for competitor in competitors}
