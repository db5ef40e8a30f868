"""The code is where its name says: layers, the path of a call, and the paths of fifteen behaviours."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from .architecture import DOCUMENT, ROOT, SOURCES, layers, source_of, with_layers

MAX_STEPS = 12
# About twenty; a folder that grows further needs a subject of its own.
MAX_FILES = 24
_STEP = re.compile(r"^(\d+)\. ", re.MULTILINE)
_LOCATION = re.compile(r"`([\w/]+\.py)` \(`(\w+)`\)")

# The behaviour, its field term, the path that contains the term, and the code that implements the behaviour there.
BEHAVIOURS = [
    ("accessible name", "accname", "page/injected/snapshot/accname.js", "export function accessibleName("),
    ("snapshot diff", "snapshot/diff", "page/snapshot/diff.py", "def make_diff("),
    ("service-worker death", "service_worker", "extension/offscreen/service_worker_connection.js", "onWorkerDeath("),
    ("selector resolution", "resolve", "page/actions/resolve.py", "async def resolve("),
    ("ELEMENT_AMBIGUOUS", "selector", "page/actions/selectors.py", "raise ElementAmbiguous("),
    ("rate limit", "rate_limit", "gateway/rate_limits.py", "class RateLimits"),
    ("hash chain", "hash_chain", "audit_log/hash_chain.py", "def chain_hash("),
    ("elicitation", "elicitation", "mcp_server/elicitation.py", "class ElicitationChannel"),
    ("tool schemas", "tool_schema", "mcp_server/tool_schema.py", "def lean_schema("),
    ("download file name", "filename", "files/filenames.py", "def safe_filename("),
    ("seccomp", "seccomp", "guests/child/seccomp.py", "def lock_down("),
    ("config hot reload", "reload", "config/live_reload.py", "class LiveConfig"),
    ("crash recovery", "crash_recovery", "sessions/crash_recovery.py", "class RestoringRecovery"),
    ("header redaction", "redaction/headers", "redaction/headers.py", "def redact_header("),
    ("hub restart by the adapter", "adapter/hub_restart", "stdio_adapter/hub_restart.py", "def _start_or_replace_hub("),
]


def modules() -> list[Path]:
    return sorted(SOURCES.rglob("*.py"))


def test_the_layer_table_is_current() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_layers(text), "run `make docs`"
    assert all(name in text for names in layers() for name in names)


def test_every_layer_has_a_purpose() -> None:
    names = [name for names in layers() for name in names]
    assert [name for name in names if not ast.get_docstring(ast.parse(source_of(name).read_text("utf-8")))] == []


def test_the_path_of_a_click_is_short_and_true() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    path = text.partition("## The path of `browser_click`")[2].partition("\n## ")[0]
    steps = [int(number) for number in _STEP.findall(path)]
    assert steps == list(range(1, len(steps) + 1)) and 1 < len(steps) <= MAX_STEPS
    locations = _LOCATION.findall(path)
    assert len(locations) >= len(steps)
    for file, name in locations:
        source = (SOURCES / file).read_text(encoding="utf-8")
        assert re.search(rf"^\s*(?:async def|def|class) {name}\b", source, re.MULTILINE), f"{file} has no {name}"


def test_every_file_in_the_document_exists() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    mentioned = {*re.findall(r"`([\w/]+\.py)`", text)}
    assert [file for file in mentioned if not (SOURCES / file).is_file()] == []
    linked = {*re.findall(r"\]\(([^)#:]+)\)", text)}
    assert [file for file in linked if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(("behaviour", "term", "path", "code"), BEHAVIOURS, ids=[one[0] for one in BEHAVIOURS])
def test_a_behaviour_is_found_by_its_field_term(behaviour: str, term: str, path: str, code: str) -> None:
    assert term in path
    assert code in (SOURCES / path).read_text(encoding="utf-8"), f"{behaviour} is no longer in {path}"


def test_there_are_fifteen_behaviours() -> None:
    assert len({one[0] for one in BEHAVIOURS}) == 15


def test_every_package_and_module_has_a_docstring() -> None:
    assert [str(path) for path in modules() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def test_no_folder_is_crowded() -> None:
    folders = {path.parent for path in SOURCES.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    crowded = {
        str(folder): count
        for folder in folders
        if (count := sum(path.is_file() for path in folder.iterdir())) > MAX_FILES
    }
    assert crowded == {}


def test_no_two_modules_differ_by_an_s() -> None:
    names = {path.stem for path in modules()}
    scripts = {path.stem for path in (SOURCES / "extension").rglob("*.js")}
    assert [name for name in sorted(names) if f"{name}s" in names] == []
    assert [name for name in sorted(scripts) if f"{name}s" in scripts] == []


def test_no_two_classes_have_the_same_name() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(SOURCES)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_type_alias_has_one_meaning() -> None:
    """Option types of commands (``Yes``, ``Name``) are part of their command's signature, and excepted."""
    meanings: defaultdict[str, set[str]] = defaultdict(set)
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                meanings[node.name].add("a class")
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                meaning = ast.unparse(node.value)
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                for name in names:
                    if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) and "typer." not in meaning:
                        meanings[name].add(meaning)
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}
