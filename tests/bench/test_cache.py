"""A peer that cannot be installed is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import cache


@pytest.fixture
def unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """Names of the packages that the fake npm fails to install."""
    names: set[str] = set()

    def npm(arguments: Sequence[str], folder: Path, seconds: float) -> str:
        package = arguments[-1].rpartition("@")[0]
        if package in names:
            raise cache.CacheError(f"npm has no {package}")
        (folder / "node_modules" / package / "bin").mkdir(parents=True)
        return ""

    monkeypatch.setattr(cache, "PEERS", tmp_path)
    monkeypatch.setattr(cache, "_npm", npm)
    return names


def test_a_peer_that_cannot_be_installed_does_not_stop_the_others(unavailable: set[str], tmp_path: Path) -> None:
    unavailable.add("chrome-devtools-mcp")
    assert cache.install_peers() == {"chrome-devtools-mcp": "npm has no chrome-devtools-mcp"}
    assert (tmp_path / "node_modules" / "@playwright" / "mcp").is_dir()
    assert (tmp_path / "node_modules" / "agent-browser").is_dir()


def test_missing_token_ranks_stop_the_run(unavailable: set[str]) -> None:
    unavailable.add("js-tiktoken")
    with pytest.raises(cache.CacheError, match="js-tiktoken"):
        cache.install_peers()
