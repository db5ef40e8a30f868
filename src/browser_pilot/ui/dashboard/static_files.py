"""The files that the dashboard is made of: its own, and those that it shares with the extension.

Their addresses are their places in the package, so that an import means the same file in the browser and on disk.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
OWN = "dashboard/static"
SHARED = (
    "theme.css",
    "components.css",
    "parts.js",
    "texts.js",
    "approval_card.js",
    "questions_section.js",
    "activity_list.js",
    "activity_section.js",
    "agents_list.js",
    "panel_view.js",
    "popup_view.js",
    "hub_pages.js",
    "icons/32.png",
    "icons/48.png",
    "icons/128.png",
    "_locales/en/messages.json",
    "_locales/de/messages.json",
)
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
}


def served() -> frozenset[str]:
    """Every file that may be asked for, as a path within the package. Pages are not among them: they have routes."""
    own = (path for path in (PACKAGE / OWN).rglob("*") if path.suffix in KINDS and path.name != "jsconfig.json")
    return frozenset(path.relative_to(PACKAGE).as_posix() for path in own) | {f"extension/{name}" for name in SHARED}


def content(name: str) -> tuple[bytes, str]:
    """A file's bytes and its kind; ``name`` is one of those served."""
    path = PACKAGE / name
    return path.read_bytes(), KINDS[path.suffix]


def page(name: str) -> str:
    return (PACKAGE / OWN / f"{name}.html").read_text(encoding="utf-8")
