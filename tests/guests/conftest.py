from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where compiled modules are kept for all tests and workers: compiling the JavaScript engine takes seconds."""
    base = tmp_path_factory.getbasetemp()
    # With several workers each has a folder of its own in a common one.
    return (base.parent if base.name.startswith("popen-") else base) / "compiled"
