"""The pages of the benchmark: real ones from npm packages, and a few of our own for single operations.

The real pages are documentation, demos and templates. A run fetches them; they are never committed. Each has its own
origin. With ``?bench=counter`` the server adds a counter button to a page, so that every page has something to click.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import cache

SITE = Path(__file__).parent / "site"
OWN = "bench"


@dataclass(frozen=True, slots=True)
class Page:
    """``root`` is the folder of the package that is served as the site."""

    key: str
    package: str
    version: str
    path: str
    root: str = "."


PAGES = (
    Page("admin dashboard", "gentelella", "4.2.0", "production/index.html", root="dist"),
    Page("admin form", "gentelella", "4.2.0", "production/form.html", root="dist"),
    Page("data table", "startbootstrap-sb-admin-2", "4.1.4", "tables.html"),
    Page("home page", "semantic-ui", "2.5.0", "examples/homepage.html"),
    Page("form reference", "spectre.css", "0.5.9", "docs/elements/forms.html"),
    Page("mobile form widgets", "jquery-mobile", "1.4.1", "forms/index.html", root="dist/demos"),
    Page("component gallery", "98.css", "0.1.21", "index.html", root="dist"),
    Page("project index", "todomvc", "0.1.1", "index.html"),
    Page("slides", "reveal.js", "6.0.2", "demo.html"),
    Page("manual page", "npm", "11.6.2", "docs/output/using-npm/config.html"),
    Page("option tables", "vis", "4.21.0", "docs/timeline/index.html"),
    Page("option list", "dygraphs", "2.2.2", "options.html", root="_site"),
    Page("class reference", "paper", "0.12.20", "docs/classes/Path.html", root="dist"),
)

SMALL, MIDDLE, LARGE = "home page", "admin dashboard", "option list"


def fetch() -> dict[str, Path]:
    """Returns the folder to serve for each page and for our own site."""
    folders = {page.key: cache.unpack(page.package, page.version) / "package" / page.root for page in PAGES}
    return {OWN: SITE, **folders}


def path_of(key: str) -> str:
    return next(page.path for page in PAGES if page.key == key)
