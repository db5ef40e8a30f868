"""Third-party files are accepted only with the expected integrity hash."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from browser_pilot import assets


def make_archive(folder: Path) -> Path:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("package/Readability.js", "package/LICENSE.md"):
            data = b"// a file"
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture(name="vendor")
def make_vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(assets, "VENDOR", tmp_path / "vendor")

    def pack(_asset: assets.Asset, folder: Path) -> Path:
        return make_archive(folder)

    monkeypatch.setattr(assets, "_download", pack)
    return tmp_path / "vendor"


def test_a_file_with_another_hash_is_refused(vendor: Path) -> None:
    with pytest.raises(assets.AssetError, match="hash"):
        assets.fetch("readability")
    assert assets.locate("readability") is None
    assert not vendor.exists()


def test_a_fetched_file_is_found_with_its_licence(vendor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(_archive: Path, _asset: assets.Asset) -> None:
        return None

    monkeypatch.setattr(assets, "_check", accept)
    assert assets.missing() == list(assets.ASSETS)
    assert assets.fetch("readability") == assets.locate("readability") == vendor / "readability" / "Readability.js"
    assert (vendor / "readability" / "LICENSE.md").is_file()
    assert "readability" not in assets.missing()


def test_a_failed_fetch_is_reported_and_does_not_stop_the_setup(
    vendor: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(assets.ASSETS["readability"], integrity="sha512-wrong")
    monkeypatch.setattr(assets, "ASSETS", {"readability": other})
    assert assets.main() == 0
    assert "readability" in capsys.readouterr().err
