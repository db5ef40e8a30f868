"""The wheel and the sdist: complete, equal, and with true metadata."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, cast

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from browser_pilot import assets
from tests.installation import RECORD, ROOT, Installation, check, lower_bounds

PROJECT = cast("dict[str, Any]", tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])
# Only generates a table in the repository.
NOT_AT_RUN_TIME = ("redaction/token_rules/generate.py",)


def test_every_direct_import_is_declared() -> None:
    optional = [line for extra in ("redis", "keyring") for line in PROJECT["optional-dependencies"][extra]]
    declared = {canonicalize_name(Requirement(line).name) for line in (*PROJECT["dependencies"], *optional)}
    distributions = packages_distributions()
    undeclared = {
        f"{module} in {path}"
        for path, module in imported_modules(ROOT / "src" / "browser_pilot")
        if not {canonicalize_name(name) for name in distributions.get(module, [module])} & declared
    }
    assert not undeclared


def imported_modules(package: Path) -> set[tuple[str, str]]:
    """The third-party modules that each file imports, also inside of functions."""
    found: set[tuple[str, str]] = set()
    for file in package.rglob("*.py"):
        path = file.relative_to(package).as_posix()
        if path in NOT_AT_RUN_TIME:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            found |= {(path, name.partition(".")[0]) for name in names}
    return {entry for entry in found if entry[1] not in sys.stdlib_module_names and entry[1] != "browser_pilot"}


def test_every_lower_bound_was_run() -> None:
    """`make lowest-check` records the versions with which an installed wheel worked."""
    lines = [line for line in RECORD.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    recorded = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    bounds = {canonicalize_name(name): version for name, version in lower_bounds().items()}
    assert len(bounds) == len(PROJECT["dependencies"]), "a dependency without a lower bound"
    for name, version in bounds.items():
        assert Requirement(f"{name}=={version}").specifier.contains(recorded[name]), name


def test_links_of_the_readme_lead_to_files_and_are_absolute_in_the_metadata() -> None:
    hook = load_build_hook()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for match in hook.RELATIVE_LINK.finditer(text):
        assert (ROOT / match["target"]).exists(), match["target"]
    absolute = hook.absolute_links(text, "https://example.com/repository")
    assert not hook.RELATIVE_LINK.search(absolute)
    assert "](https://example.com/repository/raw/main/docs/demo.png)" in absolute
    assert "](https://example.com/repository/blob/main/docs/guests.md)" in absolute


def load_build_hook() -> Any:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_licences_of_bundled_code_are_complete() -> None:
    folder = ROOT / "licenses"
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == {
        word.strip(".,") for word in notice.replace("licenses/", " ").split() if word.strip(".,").endswith(".txt")
    }
    for name, asset in assets.ASSETS.items():
        assert f"browser_pilot/vendor/{name} ({asset.package}" in notice
        path = assets.locate(name)
        if path is not None:
            licence = (path.parent / asset.licence).read_text(encoding="utf-8")
            assert licence in [file.read_text(encoding="utf-8") for file in folder.iterdir()], name


@pytest.fixture(scope="module", name="source")
def copy_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that Git has or would add, without the assets."""
    target = tmp_path_factory.mktemp("source")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "bench/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    return target


def build(source: Path, kind: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build without network: npm finds neither a registry nor a cache."""
    environ = {**os.environ, "npm_config_offline": "true", "npm_config_cache": str(folder / "npm")}
    environ.pop("BROWSER_PILOT_ALLOW_NO_ASSETS", None)
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(folder), str(source)]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=200, check=False)


def test_a_build_without_the_assets_fails(source: Path, tmp_path: Path) -> None:
    for kind in ("wheel", "sdist"):
        done = build(source, kind, tmp_path)
        assert done.returncode != 0
        assert "The assets readability, quickjs could not be fetched" in done.stdout + done.stderr
        assert not [*tmp_path.glob("*.whl"), *tmp_path.glob("*.tar.gz")]


@pytest.mark.browser
@pytest.mark.skipif(bool(assets.missing()), reason="needs the assets of `make setup`")
def test_the_sdist_builds_the_same_wheel_without_npm_and_it_works(source: Path, tmp_path: Path) -> None:
    complete = tmp_path / "complete"
    shutil.copytree(source, complete)
    shutil.copytree(assets.VENDOR, complete / "src" / "browser_pilot" / "vendor")
    for kind in ("wheel", "sdist"):
        done = build(complete, kind, tmp_path / kind)
        assert done.returncode == 0, done.stdout + done.stderr
    (sdist,) = (tmp_path / "sdist").glob("*.tar.gz")
    shutil.unpack_archive(sdist, tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    done = build(unpacked, "wheel", tmp_path / "again")
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    (again,) = (tmp_path / "again").glob("*.whl")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())
        assert all(first.read(name) == second.read(name) for name in first.namelist())
        for name, asset in assets.ASSETS.items():
            assert f"browser_pilot/vendor/{name}/{asset.file}" in first.namelist()

    (tmp_path / "installed").mkdir()
    installation = Installation(tmp_path / "installed", base=Path(sysconfig.get_path("purelib")))
    installation.create()
    installation.install(again)
    assert check(installation)[-1] == "guest test"
