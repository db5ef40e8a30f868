"""Build hooks: fetch third-party assets from npm into the tree, and make the README's links absolute.

The wheel and the sdist contain the assets (``artifacts`` in ``pyproject.toml``), so that neither users nor a build from
the sdist need Node. A build without them fails: its wheel would work except for its guests and ``browser_read``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ALLOW_NO_ASSETS = "BROWSER_PILOT_ALLOW_NO_ASSETS"
# The target of a Markdown link or image, or of an HTML attribute, that is neither absolute nor an anchor.
RELATIVE_LINK = re.compile(r"""(?P<before>\]\(|(?:src|href)=")(?!https?:|mailto:|#)(?P<target>[^)"\s]+)""")
IMAGE = (".png", ".jpg", ".svg", ".gif")


class AssetsHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        assets = _load(Path(self.root) / "src" / "browser_pilot" / "assets.py")
        assets.main()
        missing: list[str] = assets.missing()
        if missing and os.environ.get(ALLOW_NO_ASSETS) != "1":
            raise RuntimeError(
                f"The assets {', '.join(missing)} could not be fetched (see above). "
                f"Install npm, or set {ALLOW_NO_ASSETS}=1 to build without them."
            )


class ReadmeHook(MetadataHookInterface):
    """The package index shows the README without the repository, where relative links lead nowhere."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute_links(text, metadata["urls"]["Source"])}


def absolute_links(text: str, repository: str) -> str:
    """Relative links lead into the repository, images to the files themselves."""

    def absolute(match: re.Match[str]) -> str:
        target = match["target"]
        kind = "raw" if target.endswith(IMAGE) else "blob"
        return f"{match['before']}{repository}/{kind}/main/{target}"

    return RELATIVE_LINK.sub(absolute, text)


def _load(path: Path) -> ModuleType:
    """The module of a file, without the package that it is in: this needs nothing installed."""
    spec = importlib.util.spec_from_file_location(f"browser_pilot_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
