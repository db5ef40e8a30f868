"""Measures how much of a page a snapshot contains: fewer tokens count only if nothing is missing.

The reference is the visible text and the names of the controls, read from the page by a script. Both sides are split
into words before the comparison, so no format has an advantage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from .competitors.base import Competitor
from .pages import PAGES
from .server import Site
from .workspace import Workspace

_MAX_NAME_WORDS = 8
_READ = """(() => {
  const shown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const kinds = "a[href], button, input, select, textarea, [role=button], [role=link]";
  const controls = [...document.querySelectorAll(kinds)];
  const name = (e) => e.getAttribute("aria-label") || e.innerText || e.labels?.[0]?.innerText || "";
  return { text: document.body.innerText, controls: controls.filter(shown).map(name) };
})()"""


@dataclass(frozen=True, slots=True)
class Reference:
    words: frozenset[str]
    controls: tuple[str, ...]

    def words_kept(self, snapshot: str) -> float:
        return _share(len(self.words & set(_words(snapshot))), len(self.words))

    def controls_kept(self, snapshot: str) -> float:
        flat = f" {' '.join(_words(snapshot))} "
        return _share(sum(f" {name} " in flat for name in self.controls), len(self.controls))


def make_reference(text: str, controls: list[str]) -> Reference:
    names = [" ".join(_words(name)[:_MAX_NAME_WORDS]) for name in controls]
    return Reference(words=frozenset(_words(text)), controls=tuple(name for name in names if name))


def read_references(site: Site, raw: Competitor) -> Mapping[str, Reference]:
    workspace = Workspace.create()
    try:
        session = raw.start(workspace)
        references: dict[str, Reference] = {}
        for page in PAGES:
            session.navigate(site.url(page.key, page.path))
            seen = cast(dict[str, object], json.loads(session.evaluate(_READ).text))
            references[page.key] = make_reference(cast(str, seen["text"]), cast(list[str], seen["controls"]))
        session.close()
        return references
    finally:
        workspace.close()


def _words(text: str) -> list[str]:
    """Returns the words. An escaped line break (``\\n``) is not part of the next word."""
    return re.findall(r"\w+", text.replace("\\n", " ").lower())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
