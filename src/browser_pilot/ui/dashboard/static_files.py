"""Static files of the dashboard: its own, and those that it shares with the extension.

Each URL path is the path within the package, so an import resolves to the same file in the browser and on disk.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[2]
OWN = "ui/dashboard/static"
SHARED = (
    "lib/theme.css",
    "lib/components.css",
    "lib/dom.js",
    "lib/i18n.js",
    "lib/long_text.js",
    "lib/approval_card.js",
    "lib/approvals_section.js",
    "lib/activity_list.js",
    "lib/activity_section.js",
    "lib/agents_list.js",
    "lib/connection_status.js",
    "lib/mode_switch.js",
    "lib/status_header.js",
    "lib/theme.js",
    "icons/32.png",
    "icons/48.png",
    "icons/128.png",
    "_locales/en/messages.json",
    "_locales/de/messages.json",
)
MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
}


def served_files() -> frozenset[str]:
    """The paths of all served files within the package. HTML pages are not included: they have routes."""
    own = (path for path in (PACKAGE / OWN).rglob("*") if path.suffix in MEDIA_TYPES and path.name != "jsconfig.json")
    return frozenset(path.relative_to(PACKAGE).as_posix() for path in own) | {f"extension/{name}" for name in SHARED}


def read_file(name: str) -> tuple[bytes, str]:
    """The content and the media type of one of the served files."""
    path = PACKAGE / name
    return path.read_bytes(), MEDIA_TYPES[path.suffix]


def read_page(name: str) -> str:
    return (PACKAGE / OWN / f"{name}.html").read_text(encoding="utf-8")
