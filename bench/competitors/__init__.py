"""The measured servers and baselines, one module each."""

from __future__ import annotations

from .agent_browser import AgentBrowser
from .base import Chromium, Competitor
from .browser_pilot import BrowserPilot
from .chrome_devtools_mcp import ChromeDevtoolsMcp
from .playwright_mcp import PlaywrightMcp
from .raw_cdp import RawCdp

OURS = BrowserPilot.name
BASELINE = RawCdp.name
PLAYWRIGHT = PlaywrightMcp.name
PEERS = (AgentBrowser.name, ChromeDevtoolsMcp.name, PlaywrightMcp.name)
ALL = (OURS, BASELINE, *PEERS)


def create(chromium: Chromium) -> dict[str, Competitor]:
    competitors: tuple[Competitor, ...] = (
        BrowserPilot(chromium),
        RawCdp(chromium),
        AgentBrowser(chromium),
        ChromeDevtoolsMcp(chromium),
        PlaywrightMcp(chromium),
    )
    return {competitor.name: competitor for competitor in competitors}
