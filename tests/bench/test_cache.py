from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import cache


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """The packages that npm does not give; all others it does."""
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


def test_a_peer_that_cannot_be_had_is_named_and_the_others_are_fetched(refused: set[str], tmp_path: Path) -> None:
    refused.add("chrome-devtools-mcp")
    assert cache.install_peers() == {"chrome-devtools-mcp": "npm has no chrome-devtools-mcp"}
    assert (tmp_path / "node_modules" / "@playwright" / "mcp").is_dir()
    assert (tmp_path / "node_modules" / "agent-browser").is_dir()


def test_nothing_is_counted_without_the_ranks_of_tokens(refused: set[str]) -> None:
    refused.add("js-tiktoken")
    with pytest.raises(cache.CacheError, match="js-tiktoken"):
        cache.install_peers()
