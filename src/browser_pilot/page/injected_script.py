"""The scripts that we put into each frame: the files of ``injected``, joined into two expressions.

Each file adds functions to one object, ``pilot``. A document that is just being loaded gets the first files only, which
tell when it can be used: reading the others would cost it more than that. These follow when they are first needed.
The files of an expression share one function scope, in the order given here, so that nothing of them is visible outside
it; what the first ones lend to the others is named in ``_LENT``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_FIRST = ("pilot.js", "watch.js")
_LENT = (
    "MOST_FRAMES",
    "changeCount",
    "changesByItself",
    "isWatching",
    "nextFrame",
    "nextTask",
    "report",
    "startWatch",
    "untilQuiet",
    "untilQuietOrUntouched",
)
_REST = (
    "registry.js",
    "dom.js",
    "roles.js",
    "names.js",
    "states.js",
    "walker.js",
    "lines.js",
    "snapshot.js",
    "foresight.js",
    "locate.js",
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
# What can be called in a document that has the first files only.
FIRST_FUNCTIONS = frozenset({"usable", "settled", "watch"})


@cache
def first_source() -> str:
    """A JavaScript function that makes ``pilot`` once per document, and returns it."""
    lent = ", ".join(_LENT)
    return (
        "() => globalThis.browserPilot ??= "
        f"(() => {{ 'use strict';\n{_joined(_FIRST)}\n  pilot.lent = {{ {lent} }};\nreturn pilot;\n}})()"
    )


@cache
def rest_source() -> str:
    """A JavaScript function of (pilot, options) that adds all the others, once."""
    lent = ", ".join(_LENT)
    return (
        "(pilot, options) => { 'use strict';\nif (pilot.lent === null) return;\n"
        f"const {{ {lent} }} = pilot.lent;\n  pilot.lent = null;\n{_joined(_REST)}\n}}"
    )


def _joined(names: tuple[str, ...]) -> str:
    folder = files("browser_pilot.pages") / "injected"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
