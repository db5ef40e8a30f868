"""The script that we put into each frame: the files of ``injected``, joined into one expression.

Each file adds functions to one object, ``pilot``; the expression's value is that object. The files share one function
scope, in the order given here, so that nothing of them is visible outside it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_ORDER = (
    "registry.js",
    "dom.js",
    "roles.js",
    "names.js",
    "states.js",
    "walker.js",
    "lines.js",
    "snapshot.js",
    "locate.js",
    "watch.js",
    "aim.js",
    "facts.js",
    "guard.js",
    "keyguard.js",
    "fields.js",
    "choose.js",
    "picture.js",
    "tree.js",
    "content.js",
    "scroll.js",
    "waiting.js",
    "storage.js",
    "files.js",
    "resource.js",
    "fetching.js",
)


@cache
def injected_source() -> str:
    """A JavaScript function of (options) that installs ``pilot`` once per document and returns it."""
    folder = files("browser_pilot.pages") / "injected"
    parts = "\n".join((folder / name).read_text(encoding="utf-8") for name in _ORDER)
    return f"(options) => globalThis.browserPilot ??= (() => {{ 'use strict';\n{parts}\nreturn pilot;\n}})()"
