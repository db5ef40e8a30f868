"""Runs the adapter as `browser-pilot` does, except that the hub it starts is the fake one."""

from __future__ import annotations

import sys
from pathlib import Path

from browser_pilot.__main__ import main
from browser_pilot.hub_discovery import launcher

launcher.HUB_COMMAND = (sys.executable, str(Path(__file__).with_name("fake_hub.py")))
main()
