"""Build hook: adds third-party assets from npm to the wheel, so that users need no Node. Skipped without npm."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AssetsHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        path = Path(self.root) / "src" / "browser_pilot" / "assets.py"
        spec = importlib.util.spec_from_file_location("browser_pilot_assets", path)
        if spec is None or spec.loader is None:
            raise RuntimeError(f"{path} cannot be loaded.")
        assets = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = assets
        spec.loader.exec_module(assets)
        assets.main()
        if assets.VENDOR.is_dir():
            build_data["force_include"][str(assets.VENDOR)] = "browser_pilot/vendor"
