"""Uses the wheel of `make dist` as a newcomer does: `make install-check`, `make lowest-check`.

It is installed into an empty environment and runs with an empty home. ``--lowest`` installs every direct dependency at
its lower bound in ``pyproject.toml``; if everything works, all installed versions are recorded in
``constraints-lowest.txt``, with which ``test_packaging`` compares the bounds. ``--python`` names another interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.demo.site import demo_site

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "constraints-lowest.txt"
RECORD_HEAD = "# Written by `make lowest-check`: the wheel works with these versions, the lowest that it accepts.\n"
LOWER_BOUND = re.compile(r"^(?P<name>[\w.-]+)>=(?P<version>[\w.]+)")
# What the installed command gets of this environment.
PASSED_ON = ("PATH", "TMPDIR", "LANG", "SYSTEMROOT")


def lower_bounds() -> dict[str, str]:
    """The lower bound of each direct dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [LOWER_BOUND.match(requirement) for requirement in project["dependencies"]]
    return {match["name"]: match["version"] for match in found if match is not None}


@dataclass(frozen=True)
class Installation:
    """A virtual environment, and an empty home in which its commands run."""

    folder: Path
    base: Path | None = None
    """Site-packages that provide the dependencies; without it, pip installs them."""
    interpreter: str = sys.executable

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def _bin(self) -> Path:
        return self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")

    def create(self) -> None:
        without_pip = [] if self.base is None else ["--without-pip"]
        _run([self.interpreter, "-m", "venv", *without_pip, str(self.folder / "venv")], cwd=self.folder)
        self.home.mkdir()

    def install(self, wheel: Path, *options: str) -> None:
        if self.base is None:
            pip = [str(self._bin / "python"), "-m", "pip"]
        else:
            # The command takes the dependencies from there, but Browser Pilot from the wheel only: a path of a `.pth`
            # file is not searched for further `.pth` files, such as the one of an editable installation.
            code = "import sysconfig; print(sysconfig.get_path('purelib'))"
            site_packages = _run([str(self._bin / "python"), "-c", code], cwd=self.folder).strip()
            Path(site_packages, "dependencies.pth").write_text(f"{self.base}\n", encoding="utf-8")
            pip = [sys.executable, "-m", "pip", "--python", str(self._bin / "python")]
            options = ("--no-index", "--no-deps", *options)
        _run([*pip, "install", "--quiet", "--disable-pip-version-check", *options, str(wheel)], cwd=self.folder)

    def freeze(self) -> str:
        """The installed versions, without Browser Pilot's."""
        return _run([str(self._bin / "python"), "-m", "pip", "freeze", "--exclude", "browser-pilot"], cwd=self.folder)

    def browser_pilot(self, *arguments: str) -> str:
        environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home), "BROWSER_PILOT_PORT": "0"}
        return _run([str(self._bin / "browser-pilot"), *arguments], cwd=self.folder, environ=environ | home)


def _run(command: list[str], *, cwd: Path, environ: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def check(installation: Installation) -> list[str]:
    """Use the installed command as a newcomer does; returns what worked."""
    worked = [installation.browser_pilot("--version").strip()]
    try:
        installation.browser_pilot("doctor")
        worked.append("doctor")
        tools = json.loads(installation.browser_pilot("tools", "--json"))
        worked.append(f"tools: {len(tools['tools'])}")
        with demo_site() as url:
            result = installation.browser_pilot("call", "browser_navigate", json.dumps({"url": url, "snapshot": True}))
        if "Sign in" not in result:
            raise RuntimeError(f"call browser_navigate: {result[-2000:]}")
        worked.append("call")
        installation.browser_pilot("demo")
        worked.append("demo")
        installation.browser_pilot("mcp-config", "codex", "--write")
        installation.browser_pilot("mcp-config", "goose", "--write")
        worked.append("mcp-config")
        installation.browser_pilot("guest", "new", "hello")
        installation.browser_pilot("guest", "test", "hello")
        worked.append("guest test")
    finally:
        installation.browser_pilot("stop")
    return worked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lowest", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    lowest: bool = given.lowest
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(Path(folder), interpreter=given.python)
        installation.create()
        options: tuple[str, ...] = ()
        if lowest:
            constraints = Path(folder, "constraints.txt")
            constraints.write_text("".join(f"{name}=={version}\n" for name, version in lower_bounds().items()))
            options = ("--constraint", str(constraints))
        installation.install(wheel, *options)
        for line in check(installation):
            print(f"✓ {line}")  # noqa: T201
        if lowest:
            RECORD.write_text(f"{RECORD_HEAD}{installation.freeze()}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
