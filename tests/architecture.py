"""The layer table of ARCHITECTURE.md: ``python -m tests.architecture`` writes it, a part of ``make docs``.

The layers come from the import-linter contract in ``pyproject.toml``, their purposes from the docstrings of their
packages. ``test_architecture`` checks that the table is current.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "browser_pilot"
DOCUMENT = ROOT / "ARCHITECTURE.md"
_TABLE = re.compile(r"(<!-- layers:[^\n]*-->\n).*(<!-- /layers -->)", re.DOTALL)


def layers() -> list[list[str]]:
    """The layers of the contract, from the top; each with its packages and modules."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def source_of(name: str) -> Path:
    module = SOURCES / f"{name}.py"
    return module if module.is_file() else SOURCES / name / "__init__.py"


def layer_table() -> str:
    rows = [
        f"| {', '.join(_linked(name) for name in names)} | {' '.join(map(_purpose, names))} |" for names in layers()
    ]
    return "\n".join(["| Layer | Purpose |", "|---|---|", *rows]) + "\n"


def with_layers(text: str) -> str:
    return _TABLE.sub(lambda found: f"{found[1]}{layer_table()}{found[2]}", text)


def _linked(name: str) -> str:
    path = source_of(name)
    target = path if path.stem == name else path.parent
    return f"[{name}]({target.relative_to(ROOT).as_posix()})"


def _purpose(name: str) -> str:
    docstring = ast.get_docstring(ast.parse(source_of(name).read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    DOCUMENT.write_text(with_layers(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
