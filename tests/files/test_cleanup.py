"""Old files are removed, only in folders inside the home."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.config.settings import FileSettings, Settings
from browser_pilot.files.cleanup import MEGABYTE, StoredFile, files_to_remove, remove_old_files

FILES = st.lists(
    st.builds(StoredFile, st.just(Path("x")), st.integers(0, 3 * MEGABYTE), st.floats(0, 1_000_000)),
    max_size=20,
)


@given(FILES, st.floats(0.1, 20), st.floats(1, 10))
def test_kept_files_fit_the_limits_and_are_newer_than_removed_ones(
    files: list[StoredFile], days: float, total_mb: float
) -> None:
    gone = files_to_remove(files, days=days, total_mb=total_mb, now=1_000_000)
    stays = [file for file in files if not any(file is one for one in gone)]
    assert sum(file.bytes for file in stays) <= total_mb * MEGABYTE
    assert all(file.changed >= 1_000_000 - days * 86_400 for file in stays)
    for_room = [file for file in gone if file.changed >= 1_000_000 - days * 86_400]
    assert all(old.changed <= new.changed for old in for_room for new in stays)


def test_only_folders_in_the_home_are_cleaned_up(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    settings = Settings(files=FileSettings(download_dir=elsewhere)).at(home).files
    long_ago = time.time() - 30 * 86_400
    kept, gone = elsewhere / "mine.txt", settings.screenshot_dir / "old.png"
    for path in (kept, gone):
        path.parent.mkdir(parents=True)
        path.write_text("x")
        os.utime(path, (long_ago, long_ago))
    (settings.screenshot_dir / "new.png").write_text("x")
    assert remove_old_files(home, settings) == 1
    assert kept.exists() and not gone.exists()
    assert [path.name for path in settings.screenshot_dir.iterdir()] == ["new.png"]
