"""Joins ES modules into one flat scope, so that they can be evaluated as a single script.

A small subset of the module syntax is allowed, each statement at the start of a line:

- ``import { a, b } from './other.js';`` (named, relative, not renamed; may span lines)
- ``export`` before ``function``, ``async function``, ``class`` or ``const``

``export let`` is refused: no module may share a variable that changes. Top-level names must be unique over all
modules, since they end up in one scope; nothing is renamed or wrapped, so V8 sees plain functions. Cycles are refused.
Comments are dropped: the script is sent to every document.

This is no JavaScript parser: syntax errors and missing imports are found by ``tests.check_javascript``, which checks
the files as modules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_IMPORT = re.compile(r"^import \{((?:\s*[\w$]+\s*,)*\s*[\w$]*\s*)\} from '(\.\.?/[\w./-]+\.js)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function\b|class\b|const\b)", re.MULTILINE)
_DECLARATION = re.compile(r"^(export )?(?:(?:async )?function\*? |class |const |let )([\w$]+)", re.MULTILINE)
# A comment that has its lines to itself; one before an expression ends within its line.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_REFUSED = re.compile(r"^(?:import\b|export\b|var\b|(?:const|let) [^\w$]).*", re.MULTILINE)


class BundleError(Exception):
    """The modules cannot be joined."""


@dataclass(frozen=True, slots=True)
class Module:
    """One file. ``imports`` maps the path of a module to the names imported from it; ``body`` is plain script."""

    path: str
    imports: dict[str, tuple[str, ...]]
    exports: frozenset[str]
    declared: tuple[str, ...]
    body: str


def parse_module(path: str, source: str) -> Module:
    imports: dict[str, tuple[str, ...]] = {}
    for names, target in _IMPORT.findall(source):
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        imports[resolved] = (*imports.get(resolved, ()), *re.findall(r"[\w$]+", names))
    declarations = [(bool(exported), name) for exported, name in _DECLARATION.findall(source)]
    body = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
    if refused := _REFUSED.search(body):
        raise BundleError(f"{path}: this form is not supported: {refused[0]}")
    return Module(
        path=path,
        imports=imports,
        exports=frozenset(name for exported, name in declarations if exported),
        declared=tuple(name for _, name in declarations),
        body=body,
    )


def collect_modules(entry: str, read: Callable[[str], str], *, loaded: Sequence[Module] = ()) -> tuple[Module, ...]:
    """The modules that ``entry`` needs, each after its imports; those already ``loaded`` are left out.

    ``read`` returns the source of a path and raises FileNotFoundError.
    """
    known = {module.path: module for module in loaded}
    collected: list[Module] = []

    def visit(path: str, importers: tuple[str, ...]) -> Module:
        if path in importers:
            raise BundleError(f"Cyclic import: {' -> '.join((*importers[importers.index(path) :], path))}")
        if path in known:
            return known[path]
        module = _read_module(path, read, importers)
        for target, names in module.imports.items():
            exports = visit(target, (*importers, path)).exports
            if missing := [name for name in names if name not in exports]:
                raise BundleError(f"{path}: {target} does not export {', '.join(missing)}")
        known[path] = module
        collected.append(module)
        return module

    visit(entry, ())
    _refuse_clashes((*loaded, *collected))
    return tuple(collected)


def shared_names(modules: Iterable[Module], loaded: Iterable[Module]) -> tuple[str, ...]:
    """What ``modules`` import from modules that were loaded before them."""
    paths = {module.path for module in loaded}
    names = {name for module in modules for path in module.imports if path in paths for name in module.imports[path]}
    return tuple(sorted(names))


def join(modules: Iterable[Module]) -> str:
    """One script: the bodies in order. Wrap it in a function, so that its names stay inside."""
    return "\n".join(module.body for module in modules)


def _read_module(path: str, read: Callable[[str], str], importers: tuple[str, ...]) -> Module:
    try:
        return parse_module(path, read(path))
    except FileNotFoundError as error:
        by = f", imported by {importers[-1]}" if importers else ""
        raise BundleError(f"There is no module {path}{by}") from error


def _refuse_clashes(modules: Iterable[Module]) -> None:
    owners: dict[str, str] = {}
    for module in modules:
        for name in module.declared:
            if name in owners:
                raise BundleError(f"{module.path}: {name} is already declared in {owners[name]}")
            owners[name] = module.path
